"""Files and folders that hold what is computed: written whole or not at all, read within bounds.

In: bytes, tables, arrays. Out: files on a disk or behind a URL, and the same again.

`streams` unpack what is compressed, within bounds; `remote` opens paths that are URLs. `folders`,
`tables`, `bundle_files`, `index_files` and `npz` keep things, each under a temporary name until it
is complete. `locks` and `processes` say who works on a file. `spool` and `buckets` put by what does
not fit into memory. `resources` finds the files that come with the package.
"""
