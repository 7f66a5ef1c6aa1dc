"""Medical vocabularies and word lists that a user installs.

In: files as they are distributed. Out: one plain form in a folder of the user, with checksums.

`install` puts a vocabulary there, `installed` finds it again. `lists`, `mesh` and `metamap_output`
read the formats; `download` fetches what a user names by a URL.
"""
