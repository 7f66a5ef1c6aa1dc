"""Scores for search engines: each file is as the engine's documentation describes it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.conftest import Run

import understandability.integrations.export as search_engines
from understandability.errors import InputError, OptionError
from understandability.integrations.export import ENGINES, export

VALUES = {"flu": 0.75, "ulcer": 0.0, "a=b.html": 0.123456789}


def files(to: str, **options: str) -> dict[str, str]:
    """The files for an engine, as text."""
    return {name: b"".join(chunks).decode() for name, chunks in export(VALUES, to, **options)}


@pytest.mark.parametrize("to", ["elasticsearch", "opensearch"])
def test_bulk_updates_are_pairs_of_lines_with_values_above_0(to: str) -> None:
    """An action and a partial document; a rank feature has to be positive."""
    exported = files(to, index="health")
    lines = [json.loads(line) for line in exported["bulk-00001.ndjson"].splitlines()]
    assert lines[0] == {"update": {"_index": "health", "_id": "flu"}}
    assert lines[1] == {"doc": {"p_understandable": 0.75}}
    assert lines[3]["doc"]["p_understandable"] == 1e-6
    assert exported["bulk-00001.ndjson"].endswith("\n")
    properties = json.loads(exported["mapping.json"])["properties"]
    assert properties == {"p_understandable": {"type": "rank_feature"}}
    should = json.loads(exported["query.json"])["query"]["bool"]["should"][0]["rank_feature"]
    assert should["field"] == "p_understandable"
    assert should["saturation"] == {"pivot": 0.5}
    assert "rescore_query" in json.loads(exported["rescore.json"])["rescore"]["query"]


@pytest.mark.slow
def test_bulk_files_are_cut_into_parts() -> None:
    """One request must stay below the engine's limit."""
    many = {f"d{number}": 0.5 for number in range(100_001)}
    sizes = {
        name: b"".join(chunks).count(b"\n")
        for name, chunks in export(many, "elasticsearch")
        if name.startswith("bulk")
    }
    assert sizes == {
        "bulk-00001.ndjson": 100_000,
        "bulk-00002.ndjson": 100_000,
        "bulk-00003.ndjson": 2,
    }


def test_solr_sets_doc_values_in_place() -> None:
    """A field that is neither indexed nor stored but has doc values is updated in place."""
    exported = files("solr")
    assert json.loads(exported["updates-00001.json"])[0] == {
        "id": "flu",
        "p_understandable": {"set": 0.75},
    }
    field = json.loads(exported["schema.json"])["add-field"]
    assert (field["docValues"], field["indexed"], field["stored"]) == (True, False, False)
    # The default of the field is that of documents to come; those without a value would score 0.
    query = json.loads(exported["query.json"])["query"]
    assert query.startswith("{!boost b=def(p_understandable,0.5)}")


def test_solr_s_external_file_is_sorted_lines_of_key_and_value() -> None:
    """The last = of a line parts them, so that keys may hold one."""
    exported = files("solr-file", field="ease")
    assert exported["external_ease"] == "a=b.html=0.123457\nflu=0.75\nulcer=0\n"
    for line in exported["external_ease"].splitlines():
        key, _, value = line.rpartition("=")
        assert float(f"{VALUES[key]:.6g}") == float(value)
    assert 'class="solr.ExternalFileField"' in exported["schema.xml"]


def test_vespa_takes_partial_updates() -> None:
    """One JSON object a line, with the document's whole id and an assignment."""
    for line in files("vespa", index="web")["updates.jsonl"].splitlines():
        update = json.loads(line)
        assert re.fullmatch(r"id:web:web::\S+", update["update"])
        assert list(update["fields"]["p_understandable"]) == ["assign"]
    # What has no value is NaN in Vespa, and so would be its score.
    schema = files("vespa", index="web")["schema.sd"]
    assert "if(isNan(attribute(p_understandable)) == 1, 0.5, " in schema
    assert "# Two parts of a schema: the field goes into `document web { }`" in schema


def test_lucene_and_pyterrier_get_tables() -> None:
    for to, name in (("anserini", "docvalues.tsv"), ("pyterrier", "scores.tsv")):
        lines = files(to)[name].splitlines()
        assert lines == ["docno\tp_understandable", "flu\t0.75", "ulcer\t0", "a=b.html\t0.123457"]
    assert '"p_understandable", bits' in files("anserini")["AddDocValues.java"]
    compile(files("pyterrier")["pipeline.py"], "pipeline.py", "exec")


def test_what_python_compiled_beside_a_template_is_no_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip compiles the pipeline for PyTerrier when it installs the package."""
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "pipeline.py").write_text("FIELD")
    monkeypatch.setattr(search_engines, "resource", lambda name: tmp_path)
    assert [name for name, _ in export(VALUES, "pyterrier")][-1] == "pipeline.py"


def test_what_cannot_be_written_is_refused() -> None:
    """Another engine, names that would break a query or leave a folder, docnos that break lines."""
    with pytest.raises(OptionError, match="choose one of elasticsearch, opensearch"):
        list(export(VALUES, "google"))
    for names in ({"field": 'a"b'}, {"field": "../x"}, {"index": ""}, {"index": "a/b"}):
        with pytest.raises(OptionError, match="takes a name of letters, digits"):
            list(export(VALUES, "vespa", **names))
    for docno, to in (("a\nb", "solr-file"), ("a\tb", "pyterrier"), ("é" * 257, "opensearch")):
        with pytest.raises(InputError, match="leave its row out"):
            list(export({docno: 1.0}, to))


def test_the_command_goes_on_past_what_an_engine_cannot_take(
    tmp_path: Path, understand: Run
) -> None:
    """It names the docno, and writes the others."""
    scores = tmp_path / "s.jsonl"
    ids = ("flu", "a\nb", "x" * 600, "ulcer")
    lines = (json.dumps({"docno": docno, "p_understandable": 0.5}) for docno in ids)
    scores.write_text("\n".join(lines))
    done = understand("export", scores, "--to", "elasticsearch", "-o", f"{tmp_path}/out/", status=0)
    assert "/out/; left out: 2 whose names it cannot take\n" in done.stderr
    (tmp_path / "out/bulk-00002.ndjson").touch()
    again = understand("export", scores, "--to", "elasticsearch", "-o", f"{tmp_path}/out/").stderr
    assert "2 documents for Elasticsearch" in again
    assert "/out/, in the place of those there" in again
    assert not (tmp_path / "out/bulk-00002.ndjson").exists()  # a part of an earlier export
    assert "cannot take it: 'a\\nb'" in done.stderr
    bulk = (tmp_path / "out/bulk-00001.ndjson").read_text()
    assert '"flu"' in bulk
    assert '"ulcer"' in bulk
    assert max(map(len, done.stderr.splitlines())) < 500


@pytest.mark.parametrize("to", ENGINES)
def test_the_command_writes_a_folder(to: str, tmp_path: Path, understand: Run) -> None:
    """From a score table; documents without a value are counted."""
    scores = tmp_path / "s.tsv"
    scores.write_text("docno\tp_understandable\nflu\t0.75\nbad\t\n")
    done = understand("export", scores, "--to", to, "-o", f"{tmp_path}/out/", status=0)
    assert "1 document for " in done.stderr
    assert "1 without a value" in done.stderr
    assert "Next: " in done.stderr
    assert len(list((tmp_path / "out").iterdir())) >= 2


def test_a_crawl_folder_is_to_be_merged_first(tmp_path: Path, understand: Run) -> None:
    (tmp_path / "scores").mkdir()
    done = understand("export", "scores/", "--to", "vespa", "-o", "out/", cwd=tmp_path, status=2)
    assert "make one first: understand crawl merge scores/ -o scores.parquet" in done.stderr


def test_a_column_of_words_is_refused(tmp_path: Path, understand: Run) -> None:
    scores = tmp_path / "s.tsv"
    scores.write_text("docno\tp_understandable\nflu\teasy\n")
    done = understand("export", scores, "--to", "vespa", "-o", f"{tmp_path}/out/", status=2)
    assert "holds values that are not numbers" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["elasticsearch", "opensearch"])
def test_the_queries_are_ones_that_the_client_knows(to: str) -> None:
    """Elasticsearch's own client reads them, and fields of the mapping; it refuses other names."""
    dsl = pytest.importorskip("elasticsearch.dsl", reason="needs the package elasticsearch")
    exported = files(to)
    query, rescore = (json.loads(exported[name]) for name in ("query.json", "rescore.json"))
    for part in (query["query"], rescore["query"], rescore["rescore"]["query"]["rescore_query"]):
        assert dsl.Q(part).to_dict() == part
    field = json.loads(exported["mapping.json"])["properties"]["p_understandable"]
    assert dsl.field.construct_field(field).to_dict() == field
    with pytest.raises(dsl.exceptions.UnknownDslObject):
        dsl.Q({"rank_features": {}})


MAKE_INDEX = """\
import java.nio.file.*;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.store.FSDirectory;

public class MakeIndex {
  public static void main(String[] args) throws Exception {
    try (FSDirectory folder = FSDirectory.open(Path.of(args[0]));
        IndexWriter writer = new IndexWriter(folder, new IndexWriterConfig())) {
      for (String id : new String[] {"ulcer", "flu", "without", "a=b.html"}) {
        Document document = new Document();
        document.add(new StringField("id", id, Field.Store.YES));
        document.add(new TextField("contents", "what to do about a fever", Field.Store.NO));
        writer.addDocument(document);
      }
    }
  }
}
"""


@pytest.mark.slow
def test_lucene_takes_the_doc_values_and_ranks_by_them(tmp_path: Path) -> None:
    """With its jars, as from Debian's liblucene8-java, and a JDK; a field that is new to it."""
    jars = Path(os.environ.get("UNDERSTANDABILITY_LUCENE", "/usr/share/java"))
    path = ":".join(
        str(jar) for part in ("core", "queries") for jar in jars.glob(f"lucene-{part}-*.jar")
    )
    if not path or shutil.which("javac") is None:
        pytest.skip("needs a JDK and Lucene's jars in UNDERSTANDABILITY_LUCENE or /usr/share/java")

    def java(program: str, *arguments: str) -> str:
        command = ["java", "-cp", path, program, "index", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    for name, content in {**files("anserini"), "MakeIndex.java": MAKE_INDEX}.items():
        (tmp_path / name).write_text(content, "utf-8")
    java("MakeIndex.java")
    java("AddDocValues.java", "docvalues.tsv")
    scores = dict(line.split("\t") for line in java("Search.java", "fever").splitlines())
    assert list(scores) == ["without", "flu", "a=b.html", "ulcer"]
    whole = float(scores["without"])
    assert {name: float(score) / whole for name, score in scores.items()} == pytest.approx(
        {**VALUES, "without": 1}, abs=1e-5
    )
