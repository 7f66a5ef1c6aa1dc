"""Vocabularies in the formats of their publishers, and everything that can be wrong with them."""

import gzip
import io
import json
import math
import tarfile
import zipfile
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.conftest import Run, answering

from understandability.errors import InputError, OptionError
from understandability.inputs import archives
from understandability.inputs.archives import members
from understandability.study.install import INSTALLABLE, NLTK_DATA, install, verify
from understandability.study.installed import (
    installed,
    installed_folder,
    installed_mappings,
    installed_terms,
    nltk_folder,
)
from understandability.study.vocabulary_files import xml_elements


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of resources."""
    root = tmp_path / "resources"
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(root))
    return root


def terms(name: str) -> list[str]:
    """Of each term the text, concept, value and group."""
    found = installed_terms(name)
    values = ["" if math.isnan(value) else str(value) for value in found.values.tolist()]
    rows = zip(found.texts, found.concepts, values, found.groups.tolist(), strict=True)
    return list(map("|".join, rows))


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


CHV_OFFICIAL = (
    "C0027051\theart attack\theart attack\tMyocardial Infarction\t\\N\tno\tyes\tno"
    "\t0.9\t0.8\t0.7\t0.83\t0.81\t1\t1\n"
    "C0027051\tinfarct of heart\theart attack\tMyocardial Infarction\t\\N\tno\tno\tyes"
    "\t-1\t-1\t-1\t-1\t-1\t2\t1\n"
)
CHV_STOP = "CUI UMLS_NAME\nC0039798 therapeutic aspects\n"
MESH_ASCII = """*NEWRECORD
RECTYPE = D
MH = Myocardial Infarction
ENTRY = Heart Attack|T047|NON|EQV|NLM (1990)|abcdef
PRINT ENTRY = Infarct, Myocardial
MN = C14.280.647.500
MN = C14.907.585.500
UI = D009203

*NEWRECORD
RECTYPE = D
MH = Fever
MN = C23.888.119.344
UI = D005334

*NEWRECORD
RECTYPE = Q
SH = abnormalities
UI = Q000002

*NEWRECORD
RECTYPE = D
MH = Female
UI = D005260
"""
MESH_XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/desc.dtd">
<DescriptorRecordSet><DescriptorRecord>
<DescriptorUI>D009203</DescriptorUI>
<DescriptorName><String>Myocardial Infarction</String></DescriptorName>
<TreeNumberList><TreeNumber>C14.280.647.500</TreeNumber></TreeNumberList>
<ConceptList><Concept><TermList>
<Term><String>Myocardial Infarction</String></Term><Term><String>Heart Attack</String></Term>
</TermList></Concept></ConceptList>
</DescriptorRecord></DescriptorRecordSet>
"""
ICD_ORDER = (
    "00001 A00     0 Cholera                                                      Cholera\n"
    "00002 A009    1 Cholera, unspecified                                         "
    "Cholera, unspecified\n"
    "00003 R509    1 Fever, unspecified                                           "
    "Fever of unknown origin NOS\n"
)
ICD_TABULAR = """<ICD10CM.tabular><chapter><name>1</name><section id="A00-A09">
<diag><name>A00</name><desc>Cholera</desc>
<diag><name>A00.0</name><desc>Cholera due to Vibrio cholerae 01, biovar cholerae</desc>
<inclusionTerm><note>Classical cholera</note></inclusionTerm></diag>
<diag><name>A00.9</name><desc>Cholera, unspecified</desc></diag></diag>
</section></chapter></ICD10CM.tabular>
"""
DRUGBANK = (
    "DrugBank ID,Accession Numbers,Common name,CAS,UNII,Synonyms,Standard InChI Key\n"
    'DB00945,APRD00264,Acetylsalicylic acid,50-78-2,R16CO5Y76E,"Aspirin | 2-Acetoxybenzoic acid",\n'
)
ADAM = "# OVERVIEW #\n##########\nMI\tMI:12|M.I.:2\tmyocardial infarction:14:0.9\t0.9\t14\n"
DOID = """format-version: 1.2
ontology: doid

[Term]
id: DOID:5844
name: myocardial infarction
synonym: "heart attack" EXACT []
synonym: "cardiac event" RELATED []
xref: UMLS_CUI:C0027051
xref: MESH:D009203

[Term]
id: DOID:1
name: gone
is_obsolete: true

[Typedef]
id: part_of
name: part of
"""

# Name of the resource, of its file, the content, and of each term its text, concept, value, group.
# fmt: off
FORMATS: list[tuple[str, str, str, list[str]]] = [
    ("mesh", "d2024.bin", MESH_ASCII, [
        "Myocardial Infarction|D009203|4.0|disease", "Heart Attack|D009203|4.0|disease",
        "Infarct, Myocardial|D009203|4.0|disease", "Fever|D005334|4.0|symptom"]),
    ("mesh", "desc2024.xml", MESH_XML, [
        "Myocardial Infarction|D009203|4.0|disease", "Heart Attack|D009203|4.0|disease"]),
    ("mesh", "mtrees2024.bin", "Body Regions;A01\nHeart;A07.541\nHeart;A07.541.900.100\n", [
        "Body Regions|Body Regions|1.0|", "Heart|Heart|3.0|"]),
    ("icd10cm", "icd10cm_order_2016.txt", ICD_ORDER, [
        "Cholera|A00||", "Cholera|A009||", "Fever of unknown origin|R509||"]),
    ("icd10cm", "icd10cm_codes_2024.txt",
     "A000    Cholera due to Vibrio cholerae 01, biovar cholerae\nA009    Cholera, NOS\n", [
        "Cholera due to Vibrio cholerae 01, biovar cholerae|A000||", "Cholera|A009||"]),
    ("icd10cm", "icd10cm_tabular_2024.xml", ICD_TABULAR, [
        "Cholera due to Vibrio cholerae 01, biovar cholerae|A00.0||", "Classical cholera|A00.0||",
        "Cholera|A00.9||", "Cholera|A00||"]),
    ("drugbank", "drugbank vocabulary.csv", DRUGBANK, [
        "Acetylsalicylic acid|DB00945||", "Aspirin|DB00945||", "2-Acetoxybenzoic acid|DB00945||"]),
    ("adam", "adam_database", ADAM, ["MI|||", "MI|||", "M.I.|||"]),
    ("disease-ontology", "doid.obo", DOID, [
        "myocardial infarction|DOID:5844||disease", "heart attack|DOID:5844||disease",
        "myocardial infarction|C0027051||disease"]),
    ("symptom-ontology", "symp.obo",
     "format-version: 1.2\n\n[Term]\nid: SYMP:1\nname: fever\nxref: UMLS:C0015967\n", [
        "fever|SYMP:1||symptom", "fever|C0015967||symptom"]),
    ("stopwords-indri", "stoplist.dft",
     "<parameters><stopper>\n<word>a</word>\n<word>the</word>\n</stopper></parameters>\n", [
        "a|||", "the|||"]),
    ("aspell", "en_US.dic", "3\nstent/SM\ncafé\ndon't\n", ["stent|||", "café|||", "don't|||"]),
    ("openmedspel", "OpenMedSpel.txt", "\ufeffAarskog\r\nabacavir\r\n\r\n", [
        "Aarskog|||", "abacavir|||"]),
]
# fmt: on


def packed(folder: Path, kind: str, name: str, content: bytes, *beside: str) -> str:
    """A file alone, compressed, or in an archive or a folder, perhaps `beside` others."""
    path = folder / "release"
    if kind == "plain":
        return write(folder, name, content)
    if kind == "gzip":
        return write(folder, f"{name}.gz", gzip.compress(content))
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for other in beside:
                archive.writestr(f"release/{other}", b"%PDF")
            archive.writestr(f"release/{name}", content)
    elif kind == "tar":
        with tarfile.open(path, "w:gz") as tar:
            info = tarfile.TarInfo(f"release/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    else:
        path.mkdir()
        write(path, name, content)
    return str(path)


@pytest.mark.parametrize(
    ("name", "file", "content", "expected"), FORMATS, ids=[f"{row[0]}-{row[1]}" for row in FORMATS]
)
@pytest.mark.parametrize("kind", ["plain", "gzip", "zip", "tar", "folder"])
def test_official_formats_are_read_plain_and_packed(
    folder: Path, tmp_path: Path, name: str, file: str, content: str, expected: list[str], kind: str
) -> None:
    """The same terms whether the file is plain, compressed, in an archive or among others."""
    beside = () if name == "aspell" else ("readme.pdf",)  # a .dic is of any language: read alone
    manifest = install(name, [packed(tmp_path, kind, file, content.encode(), *beside)])
    assert terms(name) == expected
    assert manifest.entries == len(expected)


def test_the_vocabulary_of_consumers_needs_its_stop_concepts(folder: Path, tmp_path: Path) -> None:
    flat = write(tmp_path, "CHV_concepts_terms_flatfile_20110204.tsv", CHV_OFFICIAL)
    stop = write(tmp_path, "stop_concepts_flat_file_2005-Dec-19.tsv", CHV_STOP)
    with pytest.raises(
        InputError, match="no stop concepts of chv; give the folder or archive with both"
    ):
        install("chv", [flat])
    with pytest.raises(InputError, match="no terms of chv"):
        install("chv", [stop])
    install("chv", [flat, stop])
    expected = [
        "heart attack|C0027051|0.83|",
        "infarct of heart|C0027051||",
        "therapeutic aspects|C0039798||stop",
    ]
    assert terms("chv") == expected
    install("chv", [str(tmp_path)])
    assert sorted(terms("chv")) == sorted(expected)


# Name of the resource, of its file, the content, what the sentence says.
DAMAGED: list[tuple[str, str, str | bytes, str]] = [
    ("mesh", "acronyms.txt", "AACOM\n", "expected d20xx.bin"),
    ("mesh", "mtrees2024.bin", "Heart;A07\nno tree number\n", "line 2 of mtrees2024.bin"),
    ("mesh", "desc2024.xml", "<DescriptorRecordSet><Desc", "desc2024.xml is damaged XML"),
    ("mesh", "d2024.bin", "*NEWRECORD\nSH = abnormalities\n", "holds no entry of mesh"),
    ("mesh", "mesh.tsv", "descriptor\ttree_number\nHeart\n", "line 2 of mesh.tsv has 1 column"),
    ("chv", "flat.tsv", CHV_OFFICIAL + "C0000001\tno\n", "line 3 of flat.tsv"),
    ("chv", "flat.tsv", "cui\tname\n", "flat.tsv lacks the column 'term'"),
    ("chv", "words.txt", "heart\n", "expected CHV_concepts_terms_flatfile"),
    ("icd10cm", "icd.txt", "heart attack\n", "expected icd10cm_order_20xx.txt"),
    ("icd10cm", "codes.txt", "A000    Cholera\nheart\n", "line 2 of codes.txt"),
    ("drugbank", "d.csv", "DrugBank ID,Name\nDB1,x\n", "lacks the column 'Common name'"),
    ("adam", "adam_database", "MI\tMI:1\n", "record 1 of adam_database has 2 columns"),
    ("disease-ontology", "x.csv", "a,b\n", "expected doid.obo"),
    ("openmedspel", "x.txt", b"\x7fELF\0\0\0\0", "line 1 of x.txt is not a word"),
    ("openmedspel", "x.txt", b"", "holds no entry of openmedspel"),
    (
        "openmedspel",
        "x.txt.gz",
        gzip.compress(b"stent\n" * 99, mtime=0)[:-20],
        "x.txt.gz is damaged",
    ),
    ("nltk-data", "a.txt", "x", "holds none of NLTK's folders"),
    ("openmedspel", "x.zip", b"PK\x03\x04" + b"x" * 60, "x.zip is a damaged"),
    ("metamap", "x.mmi", "d1|MMI|5.18\n", "line 1 of x.mmi is not fielded MetaMap output"),
    ("openmedspel", "x.txt.gz", gzip.compress(b"a" * 11_000_000), "line 1 has more than 10 MB"),
    ("stopwords-indri", "s.dft", "<" + "<word>" * 1_000_000, "holds no entry"),
    ("stopwords-indri", "s.dft", "<word>" + " " * 1_000_000, "holds no entry"),
]


@pytest.mark.parametrize(("name", "file", "content", "sentence"), DAMAGED)
def test_bad_input_is_told_in_one_sentence_and_changes_nothing(
    folder: Path, tmp_path: Path, name: str, file: str, content: str | bytes, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as raised:
        install(name, [write(tmp_path, file, content)])
    assert "\n" not in str(raised.value)
    assert installed(name) is None
    assert list(folder.iterdir()) == []


def test_unknown_names_and_missing_sources_are_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="resource 'cvh' does not exist; choose one of chv, mesh"):
        install("cvh", ["x"])
    with pytest.raises(InputError, match=r"nowhere\.txt does not exist"):
        install("chv", ["nowhere.txt"])
    with pytest.raises(InputError, match="does not exist"):  # other schemes are not downloaded
        install("openmedspel", [f"file://{write(tmp_path, 'openmedspel.txt', 'stent')}"])
    with pytest.raises(OptionError, match=r"give --from PATH or URL of mesh; it comes from nlm"):
        install("mesh", [])


def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a.txt", "stent\n")
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", path)
    with pytest.raises(InputError, match=r"a\.txt cannot be made .* to another folder"):
        install("openmedspel", [path])


def test_a_folder_without_a_file_of_the_resource_says_what_is_looked_for(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data", "a.txt", "x")
    write(tmp_path / "data", "b.txt", "x")
    with pytest.raises(
        InputError, match="holds no file of adam; it should hold one called adam_data"
    ):
        install("adam", [str(tmp_path / "data")])


def zip_of(path: Path, name: str, mode: int = 0) -> Path:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, "tokenizers")
    return path


def tar_of(path: Path, name: str, kind: bytes = tarfile.REGTYPE) -> Path:
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    return path


@pytest.mark.parametrize(
    ("make", "name", "detail", "sentence"),
    [
        (zip_of, "../../tokenizers/x", 0, "outside its folder"),
        (zip_of, "/tokenizers/x", 0, "outside its folder"),
        (zip_of, "..\\tokenizers\\x", 0, "outside its folder"),
        (zip_of, "C:/tokenizers/x", 0, "outside its folder"),
        (zip_of, "tokenizers/x", 0o120777, "a link or device"),
        (tar_of, "../tokenizers/x", tarfile.REGTYPE, "outside its folder"),
        (tar_of, "tokenizers/x", tarfile.SYMTYPE, "a link or device"),
        (tar_of, "tokenizers/x", tarfile.LNKTYPE, "a link or device"),
        (tar_of, "tokenizers/x", tarfile.CHRTYPE, "a link or device"),
    ],
)
def test_an_archive_cannot_climb_out_of_its_folder(
    folder: Path,
    tmp_path: Path,
    make: Callable[..., Path],
    name: str,
    detail: int | bytes,
    sentence: str,
) -> None:
    source = make(tmp_path / "archive", name, detail)
    with pytest.raises(InputError, match=sentence):
        install("nltk-data", [str(source)])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["gzip", "zip", "tar"])
def test_what_unfolds_without_end_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 100_000)
    with pytest.raises(InputError, match="expands to more than"):
        install("openmedspel", [packed(tmp_path, kind, "openmedspel.txt", b"stent\n" * 50_000)])
    assert installed("openmedspel") is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gzip", "zip"])
def test_a_small_file_does_not_unfold_to_gigabytes(folder: Path, tmp_path: Path, kind: str) -> None:
    """Reading such a one takes minutes before `MAX_BYTES` are reached."""
    bomb = packed(tmp_path, kind, "openmedspel.txt", (b"stent" * 39 + b"\n") * 620_000)
    assert Path(bomb).stat().st_size < 1_000_000
    with pytest.raises(
        InputError, match=r"expands to more than .* MB, the most that is read of it"
    ):
        install("openmedspel", [bomb])


def test_encrypted_and_truncated_archives_are_told(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("openmedspel.txt", "stent\n")
    data = bytearray(path.read_bytes())
    encrypted = bytearray(data)
    encrypted[6] |= 1
    encrypted[data.index(b"PK\x01\x02") + 8] |= 1
    damaged = data.replace(b"stent", b"stunt")
    for content in (encrypted, damaged):
        path.write_bytes(content)
        with pytest.raises(InputError, match="damaged"):
            install("openmedspel", [str(path)])


def test_entities_of_an_xml_file_fetch_nothing_and_do_not_multiply(
    folder: Path, tmp_path: Path
) -> None:
    def mesh_with(entities: str, heading: str) -> str:
        return write(
            tmp_path,
            "desc.xml",
            f"<!DOCTYPE d [{entities}]><d><DescriptorRecord><DescriptorUI>D1</DescriptorUI>"
            f"<DescriptorName><String>{heading}</String></DescriptorName>"
            "<TreeNumberList><TreeNumber>A07</TreeNumber></TreeNumberList></DescriptorRecord></d>",
        )

    secret = write(tmp_path, "secret.txt", "secret")
    install("mesh", [mesh_with(f'<!ENTITY file SYSTEM "file://{secret}">', "Heart&file;")])
    assert terms("mesh") == ["Heart|D1|1.0|"]
    laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(12))
    with pytest.raises(InputError, match=r"desc\.xml is damaged XML"):
        install("mesh", [mesh_with('<!ENTITY l0 "ha">' + laughs, "Heart&l12;")])


def test_what_was_installed_stays_when_its_replacement_is_bad(folder: Path, tmp_path: Path) -> None:
    install("openmedspel", [write(tmp_path, "a.txt", "stent\n")])
    with pytest.raises(InputError):
        install("openmedspel", [write(tmp_path, "b.txt", "")])
    assert terms("openmedspel") == ["stent|||"]
    install("openmedspel", [write(tmp_path, "c.txt", "catheter\n")])
    assert terms("openmedspel") == ["catheter|||"]
    assert sorted(path.name for path in folder.iterdir()) == ["openmedspel"]


def test_the_checksum_of_the_source_and_of_the_file_are_recorded(
    folder: Path, tmp_path: Path
) -> None:
    """The SHA-256 of "stent\\n", as sha256sum prints it."""
    source = write(tmp_path, "a.txt", "stent\n")
    manifest = install("openmedspel", [source])
    assert manifest.sources == {
        source: "8000e0adbe28471ab457947693b5491ad482f8ceb78a462aff6a2417f6399e6a"
    }
    assert verify("openmedspel") is None
    (folder / "openmedspel" / "table.tsv").write_text("stunt\t\t\t\n")
    assert verify("openmedspel") == "has changed in table.tsv; install it again"
    (folder / "openmedspel" / "table.tsv").unlink()
    assert verify("openmedspel") == "has lost table.tsv; install it again"
    assert verify("mesh") == "is not installed"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"name": "mesh"}'])
def test_a_damaged_manifest_is_told(folder: Path, text: str) -> None:
    (folder / "mesh").mkdir(parents=True)
    (folder / "mesh" / "manifest.json").write_text(text)
    with pytest.raises(InputError, match="install mesh again"):
        installed("mesh")


def test_a_manifest_of_another_version_is_told(folder: Path, tmp_path: Path) -> None:
    install("openmedspel", [write(tmp_path, "a.txt", "stent\n")])
    path = folder / "openmedspel" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(InputError, match="another version"):
        installed("openmedspel")


@pytest.mark.parametrize("text", ["stent\n", "stent\t\tno number\t\n", ""])
def test_a_damaged_table_is_told(folder: Path, tmp_path: Path, text: str) -> None:
    install("openmedspel", [write(tmp_path, "a.txt", "stent\n")])
    (folder / "openmedspel" / "table.tsv").write_text(text)
    with pytest.raises(InputError, match="install openmedspel again"):
        installed_terms("openmedspel")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/understandability/resources"),
        ("linux", {}, "/home/me/.local/share/understandability/resources"),
        ("darwin", {}, "/home/me/Library/Application Support/understandability/resources"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/understandability/resources"),
    ],
)
def test_the_folder_is_where_the_platform_keeps_such_data(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: str
) -> None:
    for name in ("UNDERSTANDABILITY_RESOURCES", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    assert installed_folder().as_posix() == expected


def test_members_of_a_folder_leave_links_out(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "one")
    (tmp_path / "b.txt").symlink_to("/etc/passwd")
    assert [(m.name, m.stream.read()) for m in members(tmp_path)] == [("a.txt", b"one")]


@pytest.mark.parametrize("packed", [False, True])
def test_data_of_nltk_is_kept_as_it_is(folder: Path, tmp_path: Path, packed: bool) -> None:
    source = tmp_path / "nltk_data"
    (source / "tokenizers" / "punkt_tab").mkdir(parents=True)
    write(source / "tokenizers" / "punkt_tab", "abbrev.txt", "dr\n")
    write(source, "index.xml", "<x/>")
    if packed:
        with zipfile.ZipFile(tmp_path / "nltk.zip", "w") as archive:
            for path in source.rglob("*.*"):
                archive.write(path, path.relative_to(tmp_path))
        source = tmp_path / "nltk.zip"
    assert nltk_folder() is None
    assert install("nltk-data", [str(source)]).entries == 1
    root = nltk_folder()
    assert root is not None
    assert (root / "tokenizers" / "punkt_tab" / "abbrev.txt").read_text() == "dr\n"
    assert verify("nltk-data") is None


def test_endless_places_of_metamap_take_linear_time(folder: Path, tmp_path: Path) -> None:
    """Digits and brackets without end took minutes."""
    lines = (
        f'{docno}|MMI|3.6|Influenza|C0021400|[dsyn]|["flu"-ti-1-"flu"]|TI|{places}|C01.925\n'
        for docno, places in (("d1", "1" * 1_000_000), ("d2", "[" * 1_000_000), ("d3", "[1/2],3/4"))
    )
    install("metamap", [write(tmp_path, "out.mmi", "".join(lines))])
    assert installed_mappings().occurrences.tolist() == [1, 1, 2]


def test_elements_that_nobody_asked_for_are_let_go(tmp_path: Path) -> None:
    """Millions of them stayed in memory; those within one that was asked for are there."""
    text = "<m><!-- c -->" + "<x><y/></x>" * 50 + "<d><n>1</n><d><n>2</n></d><e/></d><x/><d/></m>"
    seen = []
    for element in xml_elements(io.BufferedReader(io.BytesIO(text.encode())), "m.xml", "d"):
        seen.append((element.findtext("n"), len(element), len(element.getroottree().getroot())))
    # Of fifty elements before the first, the last is there; what comes behind was read ahead.
    assert seen == [("2", 1, 4), ("1", 3, 4), (None, 0, 2)]


def test_metamap_output_is_read(folder: Path, tmp_path: Path) -> None:
    """Two occurrences, one in two places, an abbreviation line, and the form of before 2012."""
    source = write(
        tmp_path,
        "out.mmi",
        'd1|MMI|5.2|Fever|C0015967|[sosy]|["fever"-tx-1-"fever"-noun-0]|TX|[0/5],[9/5]|C23.888.119\n'
        "d1|AA|MI|Myocardial Infarction|1|2|3|19|0:2\n"
        'd2|MMI|3.6|Influenza|C0021400|[dsyn]|["flu"-ti-1-"flu"]|TI|[3/3,9/4];20/3|C01.925;C08.730.310\n'
        'd3|MMI|3.6|Doctor|C0031831|[prog]|["doctor"-ti-1]|TI|M01.526.485\n',
    )
    install("metamap", [source])
    found = installed_mappings()
    assert found.docnos == ("d1", "d2", "d3")
    assert found.concepts == ("C0015967", "C0021400", "C0031831")
    assert found.occurrences.tolist() == [2, 2, 1]
    assert found.groups.tolist() == ["symptom", "disease", ""]
    assert found.depths.tolist() == [3.0, 2.5, 3.0]


def test_a_url_is_downloaded_when_the_user_gives_it(folder: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        found = handler.path == "/openmedspel.txt"
        handler.send_response(200 if found else 404)
        handler.end_headers()
        handler.wfile.write(b"stent\n" if found else b"")

    with answering(answer) as server:
        manifest = install("openmedspel", [f"{server}/openmedspel.txt"])
        with pytest.raises(InputError, match="cannot be downloaded: Not Found"):
            install("openmedspel", [f"{server}/nothing"])
    assert terms("openmedspel") == ["stent|||"]
    assert list(manifest.sources) == [f"{server}/openmedspel.txt"]


# What the README of the data says each file holds.
@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("chv", 158_519 + 2_107),
        ("mesh", 27_453),
        ("openmedspel", 48_336),
        ("aspell", 81_157),
        ("adam", 63_838),
        ("stopwords-study", 864),
        ("stopwords-indri", 418),
        ("stopwords-terrier", 733),
        ("prefixes-study", 439),
        ("suffixes-study", 114),
        ("acronyms-study", 768),
        ("icd-words-study", 18_842),
        ("drugbank-words-study", 28_465),
    ],
)
def test_the_real_lexicons_install_completely(lexicons: Path, name: str, entries: int) -> None:
    manifest = installed(name)
    assert manifest is not None
    assert manifest.entries == entries
    assert verify(name) is None
    if name == "mesh":  # descriptors with a place under C23.888
        assert installed_terms("mesh").groups.tolist().count("symptom") == 350


def test_every_resource_says_what_it_is_and_where_it_comes_from() -> None:
    for name, resource in INSTALLABLE.items():
        assert resource.name == name
        assert resource.title
        assert resource.origin
        assert (name != NLTK_DATA) == (resource.names != ())


def test_the_command_lists_installs_and_verifies(
    folder: Path, tmp_path: Path, understand: Run
) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        process = understand("resources", *arguments)
        return process.returncode, process.stdout + process.stderr

    source = write(tmp_path, "a.txt", "stent\n")
    kept = folder / "openmedspel"
    assert "openmedspel" in run("list")[1]
    done = run("install", "openmedspel", "--from", source)
    assert done == (0, f"openmedspel: 1 entries in {kept}\n")
    assert run("verify") == (0, "openmedspel is unchanged\n")
    other = write(tmp_path, "b.txt", "angina\n")
    for words in (
        ("openmedspel", "--from", source, other),
        ("--from", source, other, "openmedspel"),
    ):
        assert run("install", *words) == (0, f"openmedspel: 2 entries in {kept}\n")
    (kept / "table.tsv").write_text("")
    assert run("verify") == (1, "openmedspel has changed in table.tsv; install it again\n")
    refused = run("install", "openmedspel", "--from", "nowhere")
    assert refused == (2, "understand: nowhere does not exist\n")
