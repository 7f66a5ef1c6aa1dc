"""Paths in, records out, and back again; the only package that opens files.

`sources` reads pages in whatever holds them: `folders`, `containers` and their `members`, `warc`
and its `http` messages, `jsonl`, `parquet_pages`, `docx`, over `streams` that unpack within bounds.
`runs`, `queries`, `docnos` and `datasets` read what runs are judged by. `tables` writes what is
computed; `bundles`, `index` and `run_folder` keep models, indexes and crawls. `resources` are
embedded, `installed` ones come by `installing`, which reads `lexicons`, `mesh` and `metamap`.
`download` and `remote` (paths that are URLs) alone use the network, when a user names one.
"""
