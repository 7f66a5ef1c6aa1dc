"""How well sentences, syllables and tags are found, beside NLTK's, on data held out.

Sentences and tags: the dev part of UD English EWT, with NLTK's tagger trained anew on the same
part; syllables: a tenth of the words of the CMU dictionary. NLTK's data are in the folder of the
data.
"""

from collections.abc import Callable, Iterable

import nltk.data
import numpy as np
from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize.punkt import PunktTokenizer
from scripts.evaluate.extraction import quality
from scripts.shared import parser_of
from scripts.train.conllu import Sentence, paragraphs, raw_text, read_sentences
from scripts.train.syllables import learn, read_dictionary

from understandability.feature.syllables import SyllableWeights
from understandability.feature.tagger import TO_TWELVE, UNIVERSAL, default_tagger
from understandability.study.nltk_backend import NltkTagger
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces, tokenize


def visible(text: str) -> int:
    """How many characters of a text are no white space; boundaries are counted in these."""
    return len("".join(text.split()))


def ours(text: str) -> set[int]:
    """Where our sentences begin."""
    pieces = split_pieces(text)
    before = np.cumsum([0, *map(visible, pieces)])
    return {int(before[start]) for start in sentence_starts(pieces)}


def punkt() -> Callable[[str], set[int]]:
    """Where those of NLTK's Punkt begin."""
    tokenizer = PunktTokenizer("english")
    return lambda text: {visible(text[:start]) for start, _ in tokenizer.span_tokenize(text)}


def boundary_scores(find: Callable[[str], set[int]], groups: list[list[Sentence]]) -> str:
    """Precision, recall and F1 of boundaries within the groups."""
    right = found = true = 0
    for group in groups:
        begins = np.cumsum([visible(sentence.text) for sentence in group])[:-1]
        gold, predicted = set(begins.tolist()), find(raw_text(group)) - {0}
        right += len(gold & predicted)
        found, true = found + len(predicted), true + len(gold)
    return f"{told(right, found, true)}  ({true:,} boundaries)"


def token_scores(sentences: Iterable[Sentence]) -> str:
    """Precision, recall and F1 of our tokens, pieces being given."""
    right = found = true = 0
    for sentence in sentences:
        spans = []
        for tokens in (
            sentence.tokens,
            [token for piece in split_pieces(sentence.text) for token in tokenize(piece)],
        ):
            ends = np.cumsum([visible(token) for token in tokens]).tolist()
            spans.append(set(zip([0, *ends[:-1]], ends, strict=True)))
        right += len(spans[0] & spans[1])
        true, found = true + len(spans[0]), found + len(spans[1])
    return told(right, found, true)


def told(right: int, found: int, true: int) -> str:
    """Precision, recall and F1 in digits."""
    return " ".join(f"{value:.4f}" for value in quality(right, found, true))


def syllable_scores(counts: dict[str, int]) -> str:
    """Of a tenth of the words, what those learned from the others get right."""
    words = sorted(counts)
    order = np.random.default_rng(0).permutation(len(words))
    tenth = len(words) // 10
    weights = learn({words[index]: counts[words[index]] for index in order[tenth:]})
    left_out = [words[index] for index in order[:tenth]]
    truth = np.array([counts[word] for word in left_out])
    predicted = SyllableWeights(weights).count(left_out)
    many, found = truth >= 3, predicted >= 3
    return (
        f"{len(truth):,} word types left out: exact {(truth == predicted).mean():.4f}, "
        f"three or more: recall {(many & found).sum() / many.sum():.4f}, "
        f"precision {(many & found).sum() / found.sum():.4f}"
    )


def main() -> None:
    """Print the tables."""
    arguments = parser_of(__doc__).parse_args()
    nltk.data.path.insert(0, str(arguments.data / "nltk_data"))
    treebank = arguments.data / "ud_english_ewt"
    train = list(read_sentences(treebank / "en_ewt-ud-train.conllu.gz"))
    dev = list(read_sentences(treebank / "en_ewt-ud-dev.conllu.gz"))

    print("sentence boundaries (precision, recall, F1)")
    for kind, whole in (("paragraphs", False), ("documents", True)):
        groups = paragraphs(iter(dev), whole)
        print(f"  {kind}: ours  {boundary_scores(ours, groups)}")
        print(f"  {kind}: Punkt {boundary_scores(punkt(), groups)}")
    print(f"tokens (precision, recall, F1)\n  ours {token_scores(dev)}")

    tokens = [token for sentence in dev for token in sentence.tokens]
    gold = np.array([UNIVERSAL.index(tag) for sentence in dev for tag in sentence.tags])
    starts = np.cumsum([0, *(len(sentence.tokens) for sentence in dev[:-1])])
    perceptron = PerceptronTagger(load=False)
    perceptron.train([list(zip(s.tokens, s.tags, strict=True)) for s in train], nr_iter=5)
    retrained = np.array([UNIVERSAL.index(tag) for s in dev for _, tag in perceptron.tag(s.tokens)])
    known = {token for sentence in train for token in sentence.tokens}
    unknown = np.array([token not in known for token in tokens])
    print("tags (accuracy: UD's 17, twelve, UD's 17 on words not in the training part)")
    for name, tags in (
        ("ours", default_tagger().tag(tokens, starts)),
        ("NLTK's perceptron trained on the same part", retrained),
        ("NLTK's own tagger, tags mapped", NltkTagger().tag(tokens, starts)),
    ):
        right = tags == gold
        twelve = TO_TWELVE[tags] == TO_TWELVE[gold]
        print(f"  {name}: {right.mean():.4f} {twelve.mean():.4f} {right[unknown].mean():.4f}")

    print("syllables")
    dictionary = arguments.data / "nltk_data/corpora/cmudict/cmudict"
    print(f"  {syllable_scores(read_dictionary(dictionary))}")


if __name__ == "__main__":
    main()
