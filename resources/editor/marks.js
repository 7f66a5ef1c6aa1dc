// The text behind the text: sentences by difficulty, terms and hard words underlined.

// Where each piece of the server's answer stands in the text that was sent.
// Headings came back with a full stop; marks that show nothing and dashes without space moved.
const NEAR = 20;

export function placesOf(text, pieces) {
  const places = [];
  let at = 0;
  for (const piece of pieces) {
    while (/\s/.test(text[at] ?? "")) at += 1;
    const bare = piece.endsWith(".") ? piece.slice(0, -1) : piece;
    const near = text.slice(at, at + piece.length + NEAR);
    let found = near.indexOf(piece);
    let length = piece.length;
    if (found < 0) {
      found = near.indexOf(bare);
      length = bare.length;
    }
    const start = found < 0 ? at : at + found;
    at = found < 0 ? at : start + length;
    places.push([start, at]);
  }
  return places;
}

// What is marked in a sentence, the first of these where two meet.
export const KINDS = {
  term: "plain terms", spelling: "spelling", abbreviation: "abbreviations", hard: "hard words", passive: "passives",
};
const LONG = 20; // words of a sentence

// Whether a click mends it; all other marks need the writer's own words.
export const isFixed = (mark) => Boolean(mark.offer ? mark.offer.texts.length || mark.offer.in_brackets : mark.kind === "spelling" && mark.likely);

// Sentences and words of an explanation as ranges of the text; `isRefused` says what to leave out.
export function marksOf(text, explanation, isRefused) {
  const places = placesOf(text, explanation.pieces);
  const range = (first, last) => [places[first][0], places[last - 1][1]];
  const marks = { sentences: [], words: [] };
  explanation.sentences.forEach((sentence, number) => {
    const [start, end] = range(sentence.first, sentence.last);
    marks.sentences.push({ start, end, number, shade: sentence.shade, long: sentence.words > LONG });
  });
  const taken = new Uint8Array(explanation.pieces.length);
  const found = [];
  const add = (kind, first, last, more = {}) => {
    if (taken.subarray(first, last).some(Boolean)) return;
    taken.fill(1, first, last);
    const [start, end] = range(first, last);
    const word = more.offer?.term ?? text.slice(start, end).replace(/^\W+|\W+$/g, "");
    if (end > start && !isRefused(`${kind} ${word.toLowerCase()}`)) found.push({ kind, start, end, word, ...more });
  };
  for (const offer of explanation.offers) {
    // What is well known, or explained in the text, is marked no more, nor taken for a hard word.
    const isOpen = offer.plain.length || offer.note !== "the text says what it means";
    if (offer.marked && isOpen) add("term", offer.first, offer.last, { offer });
    else taken.fill(1, offer.first, offer.last);
  }
  explanation.misspelled_places.forEach((place) => {
    const row = explanation.misspelled.find((each) => explanation.pieces[place].includes(each.word));
    add("spelling", place, place + 1, { likely: row?.likely ?? "" });
  });
  explanation.abbreviation_places.forEach((place) => add("abbreviation", place, place + 1));
  explanation.hard_places.forEach((place) => add("hard", place, place + 1));
  explanation.passives.forEach(([first, last]) => add("passive", first, last));
  let behind = 0;
  for (const mark of found.sort((one, other) => one.start - other.start)) {
    if (mark.start >= behind) marks.words.push(mark);
    behind = Math.max(behind, mark.end);
  }
  return marks;
}

// The same marks after an edit: what lies behind it moves, what it touches grows or shrinks.
export function moved(marks, before, after) {
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const change = after.length - before.length;
  const behind = before.length - tail;
  const start = (place) => (place >= behind ? place + change : Math.min(place, head));
  const end = (place) => (place >= behind ? place + change : Math.min(place, head));
  const move = (mark) => ({ ...mark, start: start(mark.start), end: Math.max(end(mark.end), start(mark.start)) });
  return {
    sentences: marks.sentences.map(move),
    // A term that was edited is none any more.
    words: marks.words.filter((mark) => mark.end <= head || mark.start >= behind).map(move),
  };
}

// What the mirror shows: for each sentence its look, and its text in parts, each with the kind of
// its mark; what stands between sentences has no look.
function blocksOf(text, marks) {
  const blocks = [];
  let at = 0;
  let next = 0;
  const upTo = (end) => {
    const part = text.slice(at, end);
    at = Math.max(at, end);
    return part;
  };
  for (const sentence of marks.sentences) {
    blocks.push({ look: "", parts: [["", upTo(sentence.start)]] });
    const parts = [];
    while (next < marks.words.length && marks.words[next].start < sentence.end) {
      const mark = marks.words[next];
      parts.push(["", upTo(mark.start)], [`${mark.kind} ${isFixed(mark) ? "fix" : "words"}`, upTo(mark.end)]);
      next += 1;
    }
    parts.push(["", upTo(sentence.end)]);
    blocks.push({ look: `shade-${sentence.shade}${sentence.long ? " long" : ""}`, parts });
  }
  // The last line has its height even where it is empty.
  blocks.push({ look: "", parts: [["", `${upTo(text.length)}\n`]] });
  return blocks;
}

function nodeOf(block) {
  if (!block.look) return document.createTextNode(block.parts[0][1]);
  const span = document.createElement("span");
  span.className = block.look;
  for (const [kind, part] of block.parts) {
    if (kind) {
      const word = document.createElement("u");
      word.className = kind;
      word.textContent = part;
      span.append(word);
    } else if (part) {
      span.append(part);
    }
  }
  return span;
}

const drawn = new WeakMap(); // mirror -> what each of its nodes shows

// Only what changed is drawn anew: a browser takes long to lay out a whole text.
export function draw(mirror, text, marks) {
  const blocks = blocksOf(text, marks);
  const now = blocks.map((block) => JSON.stringify(block));
  const before = drawn.get(mirror) ?? [];
  if (!before.length) mirror.replaceChildren();
  const most = Math.min(before.length, now.length);
  let head = 0;
  while (head < most && before[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  for (const node of [...mirror.childNodes].slice(head, before.length - tail)) node.remove();
  const made = document.createDocumentFragment();
  made.append(...blocks.slice(head, now.length - tail).map(nodeOf));
  mirror.insertBefore(made, mirror.childNodes[head] ?? null);
  drawn.set(mirror, now);
}
