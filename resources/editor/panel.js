// The verdict, and the details next to the text.

const $ = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const percent = (chance) =>
  chance === null ? "not known" : chance < 0.01 ? "less than 1 %" : chance > 0.99 ? "more than 99 %" : `${Math.round(100 * chance)} %`;
export const points = (number) => {
  const whole = Math.round(number);
  return whole < 1 ? "less than 1 point easier" : `${whole} point${whole === 1 ? "" : "s"} easier`;
};
const listed = (rows) => rows.map((row) => (row.count > 1 ? `${row.word} (${row.count})` : row.word)).join(", ");

const REMARKS = {
  not_english: "The text is not in English, so its sentences and terms are not marked. Thirteen other languages have an estimate.",
  few_sentences: "There are hardly any sentences: the estimate is a guess.",
  unlike_judged: "The text is unlike any that the model learned from; be careful with the estimate.",
  cut_sentences: "Many sentences are cut where none can end: the estimate is a guess.",
  words_without_order: "The words do not follow each other as in text: the estimate is a guess.",
  repeated: "Much of the text is repeated; repeated sentences are read once.",
  two_languages: "Part of the text is in another language: the estimate is less certain.",
};

// What a term means where nothing fits in its place.
export const inPlainWords = (plain) => `in plain words: ${plain.join(", or ")}`;

// What a writer can do about the reasons of a sentence where no rule proposes anything.
export function hint(reasons) {
  const found = (form) => reasons.map((reason) => reason.match(form)?.[1]).filter(Boolean);
  const short = found(/^(.+) is never explained$/), [hard] = found(/^hard words?: (.+?)(?: and \d+ more)?$/);
  const made = [];
  if (short.length) made.push(`Write ${short.join(" and ")} in full.`);
  if (hard) made.push(`Explain ${hard.split(", ").map((word) => `‘${word}’`).join(", ")}.`);
  if (found(/^(\d+) words long$/).length) made.push("Try two sentences.");
  if (found(/^(passive): /).length) made.push("Say who does it.");
  return made.join(" ");
}

const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

// A short sentence for those who hear the page.
export function spoken(found) {
  const chance = found.estimate.p_understandable;
  return chance === null ? "Not estimated" : `${percent(chance)} of readers get the message`;
}

const name = (id) => id[0].toUpperCase() + id.slice(1).replaceAll("-", " ");

export function showReaders(select, readers) {
  if (select.options.length) return;
  for (const reader of readers) select.append(new Option(name(reader.name), reader.name));
}

const readersOf = (reader) => (reader === "public" || !reader ? "adults" : "such readers");

// The verdict: the share of readers, the target, and how far it is.
export function showHeadline(found, reader) {
  const { estimate, level } = found;
  $("findings").hidden = found.words === 0;
  $("level").hidden = !level;
  if (level) $("level").textContent = `Language level ${level.name} (${level.word})`;
  const known = estimate.difficulty !== null;
  const remarks = found.flags.map((flag) => REMARKS[flag]).filter(Boolean);
  const size = `${count(found.words, "word")}, ${count(found.sentences.length, "sentence")}.`;
  $("verdict").textContent = found.words ? [size, found.place, ...remarks].join(" ") : remarks.join(" ");
  const aimed = found.readers.find((each) => each.name === reader);
  const chance = aimed ? aimed.p_understandable : estimate.p_understandable;
  const who = readersOf(reader);
  const share = known && chance !== null;
  $("headline").textContent = share ? `${percent(chance)} of ${who} get the message`
    : known ? `Difficulty ${Math.round(estimate.difficulty)} of 100` : found.words ? "No estimate" : "Type or paste a text";
  const range = known && found.range[0] !== null ? ` (${found.range.map(Math.round).join(" to ")})` : "";
  $("numbers").textContent = known ? `Difficulty ${Math.round(estimate.difficulty)}${range} of 100.` : "";
  const meter = $("meter");
  meter.hidden = !share;
  if (share) {
    meter.className = chance < found.aim ? "below" : "reached";
    meter.querySelector("span").style.width = `${Math.round(100 * chance)}%`;
    meter.querySelector("i").style.left = `${Math.round(100 * found.aim)}%`;
  }
  $("bar").textContent = share ? `${percent(chance)} of ${who} · target ${percent(found.aim)}` : "";
  if (!aimed || aimed.p_understandable === null) {
    $("aim").textContent = remarks.join(" ");
  } else if (aimed.p_understandable < found.aim) {
    $("aim").textContent = [`Below the target of ${percent(found.aim)}, the mark on the bar.`, ...remarks].join(" ");
  } else {
    $("aim").textContent = [`The target of ${percent(found.aim)} is reached.`, ...remarks].join(" ");
  }
}

// What moved since the version that was kept last.
export function showSince(found, version) {
  const { difficulty, p_understandable: chance } = found.estimate;
  const known = version && version.difficulty !== null && difficulty !== null;
  if (!known) {
    $("since").textContent = "";
    return;
  }
  const moved = Math.round(version.difficulty - difficulty);
  const how = moved > 0 ? points(moved) : moved < 0 ? `${count(-moved, "point")} harder` : "as hard as before";
  $("since").textContent = `Since “${version.name}”: ${how}, ${percent(version.chance)} → ${percent(chance)} of readers.`;
}

const STEPS = 3;

// The changes that gain most, each with the share of readers after it.
export function showSteps(found) {
  const now = found.estimate.p_understandable;
  const gain = (step) => (Math.round(100 * step.p_understandable) > Math.round(100 * now)
    ? `${percent(now)} → ${percent(step.p_understandable)}` : now === null ? points(step.points) : "a little easier");
  const rows = found.first_steps.slice(0, STEPS).map((step) =>
    element("li", {}, step.action, " ", element("span", { className: "gain" }, gain(step))));
  if (found.together) {
    rows.push(element("li", { className: "note" }, "All of these together ", element("span", { className: "gain" }, gain(found.together))));
  }
  const isReached = now !== null && now >= found.aim;
  $("first").hidden = !found.words || (!rows.length && isReached);
  $("steps").replaceChildren(...(rows.length ? rows : [element("li", { className: "note" }, "No single change would help much. Look at the hardest sentences.")]));
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
  $("hardest").closest("details").hidden = !hardest.length;
  const inOrder = [...found.terms].sort((one, other) => Boolean(other.in_place) - Boolean(one.in_place));
  show("terms", inOrder, (term) => {
    const times = term.count > 1 ? ` (${term.count})` : "";
    const row = element("li", {}, element("span", { className: term.in_place ? "fix" : "words" }, term.term), `${times}: `);
    for (const plain of term.in_place ? term.plain : []) {
      const button = element("button", { type: "button", className: "say", title: `Say “${plain}” for “${term.term}” wherever it fits` }, plain);
      button.addEventListener("click", () => actions.replaceAll(term.term, plain));
      row.append(button, " ");
    }
    if (!term.in_place && term.plain.length) row.append(`${inPlainWords(term.plain)} `);
    if (term.note && !term.plain.includes(term.note)) row.append(element("span", { className: "note" }, term.plain.length ? term.note : `explain: ${term.note}`));
    return row;
  });
  $("misspelled").textContent = found.misspelled.length ? `Likely spelling mistakes: ${found.misspelled.map((row) => `${row.word} (${row.likely}?)`).join(", ")}.` : "";
  $("hard-words").textContent = found.hard_words.length ? `Other hard words, to explain or replace: ${listed(found.hard_words)}.` : "";
  $("abbreviations").textContent = found.abbreviations.length ? `Abbreviations never explained: ${listed(found.abbreviations)}.` : "";
  const { structure } = found;
  $("structure").textContent = `${count(structure.headings, "heading")}${structure.questions ? ` (${count(structure.questions, "question")})` : ""}, ${count(structure.list_items, "list item")}, ${structure.cells ? `${count(structure.cells, "table cell")}, ` : ""}${count(structure.paragraphs, "paragraph")}, the longest of ${count(structure.longest_paragraph, "word")}; ${count(found.passives.length, "passive")}.`;
  show("advice", structure.advice, (advice) => element("li", {}, advice));
  show("formulas", found.formulas, (formula) =>
    element("tr", { title: formula.warning }, element("th", { scope: "row" }, formula.title),
      element("td", { className: "number" }, formula.value === null ? "–" : formula.value.toFixed(1))));
}

export function showQuestions(found, text, answers, questions, answered) {
  const rows = questions.map(([id, question, look]) => ({ id, question, hint: look(found, text), done: Boolean(answers[id]) }));
  show("questions", rows, ({ id, question, hint, done }) => {
    const box = element("input", { type: "checkbox", checked: done });
    box.addEventListener("change", () => answered(id, box.checked));
    return element("li", {}, element("label", {}, box, ` ${question}`), ...(hint ? [element("span", { className: "note" }, ` ${hint}`)] : []));
  });
}

export function showVersions(versions, actions) {
  $("versions").hidden = !versions.length;
  const about = (version) => (version.difficulty === null ? `${version.text.length} letters` : `${percent(version.chance)} of readers`);
  $("version-list").replaceChildren(...versions.map((version, number) => {
    const name = element("input", { value: version.name, maxLength: 60 });
    name.setAttribute("aria-label", `Name of version ${number + 1}`);
    name.addEventListener("change", () => actions.rename(version, name.value));
    const row = element("li", {}, name, ` ${version.time}, ${about(version)} `);
    for (const [label, act] of [["Bring back", actions.restore], ["Delete", actions.remove]]) {
      const button = element("button", { type: "button" }, label);
      button.setAttribute("aria-label", `${label}: ${version.name}`);
      button.addEventListener("click", () => act(version));
      row.append(button, " ");
    }
    return row;
  }));
  const options = () => [...versions.map((version, number) => new Option(version.name, number)), new Option("the text now", "now")];
  for (const [id, chosen] of [["from", versions.length - 1], ["to", versions.length]]) {
    $(id).replaceChildren(...options());
    $(id).selectedIndex = Math.max(chosen, 0);
  }
}

// Sentences side by side: what each became, with the words that the other side lacks.
export function showComparison(comparison, names) {
  const texts = [[comparison.old_text, "del"], [comparison.new_text, "ins"]];
  const isChanged = (row) => row.some((numbers, side) => numbers.some((number) => texts[side][0][number].some((run) => run.is_changed)));
  const cell = (numbers, side) => element("td", {}, ...numbers.flatMap((number) => texts[side][0][number].flatMap((run) => [run.is_changed ? element(texts[side][1], {}, run.text) : run.text, " "])));
  const changed = comparison.rows.filter(isChanged);
  const same = comparison.rows.length - changed.length;
  const aligned = element("table", { className: "aligned" },
    element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...changed.map((row) => element("tr", {}, ...row.map(cell)))));
  const rows = comparison.changes.map((change) =>
    element("tr", {}, element("th", { scope: "row" }, change.name),
      ...[change.before, change.after].map((value) => element("td", { className: "number" }, Number.isInteger(value) ? value : value.toFixed(1))),
      element("td", {}, change.now)));
  const head = element("tr", {}, ...["What", ...names, ""].map((name, column) =>
    element("th", { scope: "col", className: column === 1 || column === 2 ? "number" : "" }, name)));
  $("comparison").replaceChildren(
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
    aligned, element("p", { className: "note" }, `${count(same, "sentence")} unchanged.`));
}
