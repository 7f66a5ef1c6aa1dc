"""Documents to numbers, by one catalogue.

In: `Document`s. Out: a table with a row for each and a column for each feature.

    from understandability.feature.table import compute_features

    table = compute_features(documents, ["dale_chall", "syllables_per_word"])
    table.docnos, table.names, table.values, table.flags

A group of features is a module with ``ROWS: tuple[Feature, ...]``, which `catalogue` adds up.
A row's `compute` is a named function, or `functools.partial` of one, from a `Batch` to one float64
a document. What depends on a word alone is a *column*: a function of a module that takes a sequence
of distinct strings and returns an array with one row for each (numbers or booleans, of one or two
dimensions). It runs once for each distinct word, so it must depend on the string alone:

    def lengths(words: Sequence[str]) -> NDArray[np.int32]: ...

    batch.word_values(lengths)    # for each word of the batch, in order; also token_values
    batch.word_sums(lengths)      # its sum over each document
    batch.sum_words(values > 6)   # the sum of anything given for each word; also sum_tokens
    batch.word_types.column(lengths)  # for each type; batch.word_ids index it; also token_types
    batch.word_types.strings      # the string of each type, as written (*)
    batch.once(function)          # function(batch), computed once: for what several rows share
    batch.words, batch.sentences  # counts per document; batch.word_starts, batch.token_starts

`feature.per` = ``(DOCUMENT, WORD, SENTENCE)`` adds the columns ``..._per_word`` and
``..._per_sentence``. Counts of a text without words are 0, ratios and formulas NaN (`ratio`).

(*) Case is kept, but a sentence set in capitals is judged by its words in small letters.
"""
