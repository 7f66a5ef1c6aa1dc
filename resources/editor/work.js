// The writer's work: it lives in this browser until it is deleted, and in files for colleagues.

const KEY = "understandability-work";
// A calm start: the looks of sentences and passives are shown on request.
const EMPTY = { text: "", versions: [], answers: {}, refused: [], hidden: ["shade", "long", "passive"], english: "" };

// Shown on the first visit; it is kept only once somebody has changed it.
export const EXAMPLE = `Your colonoscopy

Prior to the procedure you must fast for six hours. A sedative is administered intravenously, and the majority of patients experience drowsiness subsequently. Following the procedure you should not drive, operate machinery or drink alcohol for 24 hours, and it is imperative that a responsible adult accompanies you home and remains with you overnight.

Complications are rare. Haemorrhage occurs in approximately 1 in 500 patients and perforation of the colon in 1 in 1,500. Contact the ward immediately if you develop pyrexia, persistent abdominal pain, or dyspnoea.`;

export let work = structuredClone(EMPTY);

export let isFirstVisit = false;

export function load() {
  try {
    const stored = localStorage.getItem(KEY);
    isFirstVisit = stored === null;
    work = stored === null ? structuredClone(EMPTY) : checked(JSON.parse(stored));
  } catch {
    work = structuredClone(EMPTY);
  }
  return work;
}

// Of what a file or an older editor holds only what is of the right kind.
function checked(found) {
  const made = structuredClone(EMPTY);
  if (typeof found?.text === "string") made.text = found.text;
  if (Array.isArray(found?.versions)) {
    made.versions = found.versions.filter((each) => typeof each?.text === "string").map((each) => ({
      name: String(each.name ?? ""), time: String(each.time ?? ""), text: each.text,
      difficulty: Number.isFinite(each.difficulty) ? each.difficulty : null,
      chance: Number.isFinite(each.chance) ? each.chance : null,
    }));
  }
  if (found?.answers && typeof found.answers === "object") {
    for (const [id, value] of Object.entries(found.answers)) made.answers[id] = Boolean(value);
  }
  for (const list of ["refused", "hidden"]) {
    if (Array.isArray(found?.[list])) made[list] = found[list].map(String);
  }
  if (["american", "british"].includes(found?.english)) made.english = found.english;
  return made;
}

// False where the browser keeps nothing, or has no room left.
export function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(work));
    return true;
  } catch {
    return false;
  }
}

export function forget() {
  work = structuredClone(EMPTY);
  keep();
}

export const asFile = () => new Blob([JSON.stringify(work, null, 1)], { type: "application/json" });

export async function fromFile(file) {
  const found = JSON.parse(await file.text());
  if (typeof found?.text !== "string") throw new Error(`${file.name} is not a file of this editor's work`);
  work = checked(found);
}

export const refuse = (what) => { if (!work.refused.includes(what)) work.refused.push(what); };
export const isRefused = (what) => work.refused.includes(what);

// What a word processor puts on the clipboard, as lines of Markdown; "" where it has no structure.
export function markdownOfHtml(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  if (!page.querySelector("h1,h2,h3,h4,h5,h6,li,tr,[class^=MsoList]")) return "";
  const lines = [];
  const say = (mark, element) => {
    const own = element.cloneNode(true);
    for (const inner of own.querySelectorAll("ul,ol,table,style,script")) inner.remove();
    const words = own.textContent.replace(/\s+/g, " ").trim();
    if (words) lines.push(mark + words);
  };
  for (const element of page.body.querySelectorAll("h1,h2,h3,h4,h5,h6,li,tr,p")) {
    const name = element.localName;
    if (name === "tr") {
      lines.push(`| ${[...element.cells].map((cell) => cell.textContent.replace(/[\s|]+/g, " ").trim()).join(" | ")} |`);
    } else if (element.closest("tr") || (name === "p" && element.closest("li"))) {
      continue;
    } else if (name[0] === "h") {
      say(`${"#".repeat(Number(name[1]))} `, element);
    } else if (name === "li") {
      let depth = -1;
      for (let at = element.parentElement?.closest("ul,ol"); at; at = at.parentElement?.closest("ul,ol")) depth += 1;
      const mark = element.parentElement?.localName === "ol" ? `${[...element.parentElement.children].indexOf(element) + 1}.` : "-";
      say(`${"  ".repeat(Math.max(depth, 0))}${mark} `, element);
    } else if (/^MsoList/.test(element.className)) {
      const before = lines.length;
      say("", element);
      if (lines.length > before) lines[before] = `- ${lines[before].replace(/^[·•o§\-\u00b7\uf0b7]\s*/, "")}`;
    } else {
      say("", element);
    }
  }
  const kind = (line) => (/^\s*(-|\d+\.) /.test(line) ? "item" : line.startsWith("|") ? "row" : "");
  return lines.map((line, n) => (n ? (kind(line) && kind(line) === kind(lines[n - 1]) ? "\n" : "\n\n") : "") + line).join("");
}

const count = (text, pattern) => (text.match(pattern) ?? []).length;
const some = (number, one, several) => (number ? `The tool sees ${number} ${number === 1 ? one : several}.` : "");

// Asked of the writer; what the tool can see is said, and judged by nobody.
export const QUESTIONS = [
  ["message", "Is there one main message, and does it come first?",
    (found) => { const words = found.pieces.slice(found.sentences[0]?.first, found.sentences[0]?.last).join(" "); return words ? `It begins: “${words.slice(0, 90)}${words.length > 90 ? " …" : ""}”` : ""; }],
  ["action", "Does it say what the reader should do, step by step?",
    (found, text) => some(count(text, /\b(should|must|need to|has to) (not )?be \w+(ed|en)\b/gi), "instruction without a doer (“should be taken”)", "instructions without a doer (“should be taken”)")],
  ["why", "Does it say why that matters to the reader?", () => ""],
  ["you", "Does it speak to the reader, as “you”?",
    (found, text) => `“You” and “your” occur ${count(text, /\byour?\b/gi)} times; ${found.passives.length} passives.`],
  ["terms", "Is every term that must stay explained where it first occurs?",
    (found) => some(found.hard_words.length + found.abbreviations.length, "hard word or abbreviation that is not explained", "hard words and abbreviations that are not explained")],
  ["numbers", "Can everybody picture the numbers, as in “1 in 200”?",
    (found, text) => some(count(text, /\d\s?%|per cent|percent/gi), "percentage", "percentages")],
  ["risk", "Are both risks and benefits there, and how likely each is?",
    (found, text) => some(count(text, /\b(rare|common|uncommon|likely|unlikely|small risk|high risk)(ly)?\b/gi), "word for a chance without a number (“rare”)", "words for chances (“rare”, “common”); do they have numbers?")],
  ["headings", "Do the headings say what a reader would ask?",
    (found) => `Headings: ${found.structure.headings}; questions among them: ${found.structure.questions}. List items: ${found.structure.list_items}.`],
  ["help", "Does it say when to get help, from whom, and how to reach them?",
    (found, text) => (/\d{3}[\d\s-]{3,}|@|\b(999|911|112|111)\b/.test(text) ? "" : "The tool sees no telephone number or address.")],
  ["tried", "Have some of its readers read it, and said in their own words what it says?", () => ""],
];
