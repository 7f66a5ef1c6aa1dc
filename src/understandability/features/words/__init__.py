"""What is known of a word by itself, worked out once for each distinct word.

In: distinct words. Out: columns with one row for each: counts, flags, ranks, probabilities.

`types` numbers words and keeps their columns. `kinds` says what each word adds to the sums over its
document, `word_lists` and `familiar` whether it is on a list, `word_statistics` how often it is
used, `terms` finds terms of several words, `installed` loads vocabularies, `hyphenation` says where
a word may be broken, `counted` names the words behind a count.
"""
