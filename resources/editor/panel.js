// What stands beside the text.

const $ = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const percent = (chance) =>
  chance === null ? "not known" : chance < 0.01 ? "less than 1 %" : chance > 0.99 ? "more than 99 %" : `${Math.round(100 * chance)} %`;
const points = (number) => `${number.toFixed(1)} points easier`;
const listed = (rows) => rows.map((row) => (row.count > 1 ? `${row.word} (${row.count})` : row.word)).join(", ");

const REMARKS = {
  no_words: "There are no words in the text.",
  not_english: "The text is not in English, so nothing is estimated.",
  few_sentences: "There are hardly any sentences: the estimate is a guess.",
  unlike_judged: "The text is unlike all that people judged for the model; take the estimate with care.",
};

// What a term means where nothing fits in its place.
export const inPlainWords = (plain) => `in plain words: ${plain.join(", or ")}`;

const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

// A short sentence for those who hear the page.
export function spoken(found) {
  return found.level ? `Level ${found.level.name}, ${found.level.word}` : "Not estimated";
}

const name = (id) => id[0].toUpperCase() + id.slice(1).replaceAll("-", " ");

export function showReaders(select, readers) {
  if (select.options.length) return;
  for (const reader of readers) select.append(new Option(name(reader.name), reader.name));
}

export function showHeadline(found, reader) {
  const { estimate, level } = found;
  $("findings").hidden = found.words === 0;
  $("level").hidden = !level;
  if (level) $("level").textContent = level.name;
  const known = estimate.difficulty !== null;
  $("headline").textContent = level ? level.word : known ? `Difficulty ${Math.round(estimate.difficulty)} of 100` : "Nothing yet";
  const remarks = found.flags.map((flag) => REMARKS[flag]).filter(Boolean);
  const size = `${count(found.words, "word")}, ${count(found.sentences.length, "sentence")}.`;
  $("verdict").textContent = found.words ? [size, found.place, ...remarks].join(" ") : remarks.join(" ");
  const aimed = found.readers.find((each) => each.name === reader);
  const who = aimed && `The chance that ${aimed.description} understands it`;
  const chance = aimed && percent(aimed.p_understandable);
  if (!aimed) {
    $("aim").textContent = "";
  } else if (aimed.missing > 0) {
    const gain = found.together ?? found.first_steps[0];
    const enough = gain && gain.points >= aimed.missing;
    const way = gain ? (enough ? "; the steps below would do" : `; the steps below gain ${gain.points.toFixed(1)}`) : "";
    $("aim").textContent = `${who} is ${chance}. The text is ${aimed.missing.toFixed(1)} points too hard${way}.`;
  } else {
    $("aim").textContent = `${who} is ${chance}. The aim is reached.`;
  }
}

export function showSteps(found) {
  const rows = found.first_steps.map((step) =>
    element("li", {}, element("strong", {}, step.action), `: ${points(step.points)}`));
  if (found.together) {
    rows.push(element("li", { className: "note" }, `Plain terms, shorter sentences and familiar words together: ${points(found.together.points)}`));
  }
  $("steps").replaceChildren(...(rows.length ? rows : [element("li", { className: "note" }, "Nothing that would help much was found.")]));
}

const shown = {}; // id -> what is shown there

// While somebody types most lists stay as they are.
function show(id, rows, make) {
  const now = JSON.stringify(rows);
  if (shown[id] === now) return;
  shown[id] = now;
  $(id).replaceChildren(...rows.map(make));
}

export function showDetails(found, actions) {
  const hardest = found.hardest.map((number) => {
    const sentence = found.sentences[number];
    const text = found.pieces.slice(sentence.first, sentence.last).join(" ");
    return { number, text, sentence: { shade: sentence.shade, reasons: sentence.reasons } };
  });
  show("hardest", hardest, ({ number, text, sentence }) => {
    const button = element("button", { type: "button", className: `jump shade-${sentence.shade}` }, text.length > 160 ? `${text.slice(0, 160)} …` : text);
    button.addEventListener("click", () => actions.jump(number));
    const reasons = element("ul", { className: "reasons" }, ...sentence.reasons.map((reason) => element("li", {}, reason)));
    return element("li", {}, button, reasons);
  });
  $("hardest").closest("section").hidden = !hardest.length;
  show("terms", found.terms, (term) => {
    const times = term.count > 1 ? ` (${term.count})` : "";
    const row = element("li", {}, element("span", { className: "term" }, term.term), `${times}: `);
    for (const plain of term.in_place ? term.plain : []) {
      const button = element("button", { type: "button", className: "say", title: `Say “${plain}” for “${term.term}” wherever it fits` }, plain);
      button.addEventListener("click", () => actions.replaceAll(term.term, plain));
      row.append(button, " ");
    }
    if (!term.in_place && term.plain.length) row.append(`${inPlainWords(term.plain)} `);
    if (term.note) row.append(element("span", { className: "note" }, term.plain.length ? term.note : `explain: ${term.note}`));
    return row;
  });
  $("hard-words").textContent = found.hard_words.length ? `Other hard words: ${listed(found.hard_words)}.` : "";
  $("abbreviations").textContent = found.abbreviations.length ? `Abbreviations never explained: ${listed(found.abbreviations)}.` : "";
  const { structure } = found;
  $("structure").textContent = `${count(structure.headings, "heading")}, ${count(structure.list_items, "list item")}, ${count(structure.paragraphs, "paragraph")}, the longest of ${count(structure.longest_paragraph, "word")}; ${count(found.passives.length, "passive")}.`;
  show("advice", structure.advice, (advice) => element("li", {}, advice));
  show("formulas", found.formulas, (formula) =>
    element("tr", { title: formula.warning }, element("th", { scope: "row" }, formula.title),
      element("td", { className: "number" }, formula.value === null ? "–" : formula.value.toFixed(1))));
}

export function showVersions(versions, actions) {
  $("versions").hidden = !versions.length;
  $("version-list").replaceChildren(...versions.map((version, number) => {
    const row = element("li", {}, `${number + 1}. ${version.time}, ${version.summary} `);
    for (const [name, act] of [["Compare", actions.compare], ["Bring back", actions.restore]]) {
      const button = element("button", { type: "button" }, name);
      button.setAttribute("aria-label", `${name}: version ${number + 1}`);
      button.addEventListener("click", () => act(version));
      row.append(button, " ");
    }
    return row;
  }));
}

export function showComparison(comparison) {
  const sides = [["Before", comparison.old_text, "del"], ["Now", comparison.new_text, "ins"]].map(([title, sentences, tag]) =>
    element("div", { className: "side" }, element("h3", {}, title), ...sentences.map((runs) =>
      element("p", {}, ...runs.flatMap((run) => [run.is_changed ? element(tag, {}, run.text) : run.text, " "])))));
  const rows = comparison.changes.map((change) =>
    element("tr", {}, element("th", { scope: "row" }, change.name),
      ...[change.before, change.after].map((value) => element("td", { className: "number" }, Number.isInteger(value) ? value : value.toFixed(1))),
      element("td", {}, change.now)));
  const head = element("tr", {}, ...["What", "Before", "Now", ""].map((name, column) =>
    element("th", { scope: "col", className: column === 1 || column === 2 ? "number" : "" }, name)));
  $("comparison").replaceChildren(
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
    element("div", { className: "sides" }, ...sides));
}
