"""Compute features of documents, as listed in one catalogue.

The input is `Document`s; the output is a table with a row per document and a column per feature.

    from understandability.feature.table import compute_features

    table = compute_features(documents, ["dale_chall", "syllables_per_word"])
    table.docnos, table.names, table.values, table.flags

A group of features is a module with ``ROWS: tuple[Feature, ...]``; `catalogue` concatenates them.
The `compute` of a row is a named function, or a `functools.partial` of one, that maps a `Batch` to
one float64 per document.

A value that depends on a word alone is a *column*: a module-level function from a sequence of
distinct strings to an array with one row per string (numbers or booleans, one or two dimensions).
It runs once per distinct word, so it must not depend on anything else:

    def lengths(words: Sequence[str]) -> NDArray[np.int32]: ...

    batch.word_values(lengths)    # one value per word of the batch, in order; also token_values
    batch.word_sums(lengths)      # the sum over each document
    batch.sum_words(values > 6)   # sums of any array with one value per word; also sum_tokens
    batch.word_types.column(lengths)  # one value per type, indexed by batch.word_ids
    batch.word_types.strings      # the string of each type, as written (*)
    batch.once(function)          # function(batch), cached, for values that several rows share
    batch.words, batch.sentences  # counts per document; batch.word_starts, batch.token_starts

`feature.per` = ``(DOCUMENT, WORD, SENTENCE)`` adds the columns ``..._per_word`` and
``..._per_sentence``. Counts of a text without words are 0, ratios and formulas NaN (`ratio`).

(*) Case is kept, except that sentences set in capitals are converted to lower case.
"""
