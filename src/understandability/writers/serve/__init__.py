"""A local page for writers, and the same as an HTTP API.

In: texts, pages and files in requests. Out: rows, explanations, rankings as JSON; the editor.

`app` has the calls, `guard` decides who may make them and how large they may be, `messages` says
what they look like, `files` reads documents, `server` and `connections` start it all.
"""
