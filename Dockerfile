# The editor and the HTTP API of `understand serve`:
#     docker build -t understandability .
#     docker run --rm -p 127.0.0.1:8765:8765 understandability --token SECRET
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY LICENSE README.md hatch_build.py pyproject.toml ./
COPY resources resources
COPY src src
RUN pip install --no-cache-dir --prefix /installed '.[serve]'

FROM python:3.12-slim-bookworm
COPY --from=build /installed /usr/local
USER nobody
EXPOSE 8765
ENTRYPOINT ["understand", "serve", "--host", "0.0.0.0"]
