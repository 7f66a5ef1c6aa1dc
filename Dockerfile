# The editor and the HTTP API of `understand serve`:
#     docker build -t understandability .
#     UNDERSTANDABILITY_TOKEN=SECRET docker run --rm -e UNDERSTANDABILITY_TOKEN \
#         -p 127.0.0.1:8765:8765 understandability
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
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["understand", "serve", "--host", "0.0.0.0"]
