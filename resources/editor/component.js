// The verdict and the marks beside a field of another page: a textarea, or what is contenteditable.
//   <script type="module" src="http://localhost:8765/editor/component.js" data-fields="textarea"></script>
// Where an editor makes its own element: import { attach } from that address, and call attach(it).

import { KINDS, draw, marksOf } from "./marks.js";
import { element, inPlainWords, percent, spoken } from "./panel.js";
import { explain, useToken } from "./server.js";

const CALM = 400; // milliseconds after a key
const MOST = 20; // words that are listed
const BLOCK = /^(?:P|DIV|LI|H[1-6]|TD|TH|DT|DD|BLOCKQUOTE|PRE|SECTION|ARTICLE|FIGCAPTION)$/;
const STYLE = `
  :host { --ink: #1c2329; --quiet: #4d5a65; --rule: #c9d2d9; --paper: #fff; --accent: #0b5c9e;
    --shade-1: #fff6dc; --shade-2: #ffe6ae; --shade-3: #ffcc85; --shade-4: #ffae70;
    display: block; color: var(--ink); background: var(--paper); color-scheme: light; font: 0.95rem/1.5 system-ui, sans-serif; }
  section { border: 1px solid var(--rule); border-radius: 0.4rem; padding: 0.5rem 0.8rem; overflow-wrap: anywhere; }
  p, ul { margin: 0.3rem 0; } ul { padding-left: 1.1rem; }
  button { font: inherit; color: var(--accent); background: none; border: 1px solid var(--rule); border-radius: 0.3rem; cursor: pointer; text-align: left; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  .note { color: var(--quiet); } .text { white-space: pre-wrap; }
  .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  u { text-decoration: underline dotted 2px var(--quiet); } u.term { text-decoration: underline 2px var(--accent); }
  ${[1, 2, 3, 4].map((n) => `.shade-${n} { background: var(--shade-${n}); }`).join(" ")}`;
const MARKS = Object.keys(KINDS).map((kind) =>
  `::highlight(understand-${kind}) { text-decoration: underline ${kind === "term" ? "2px #0b5c9e" : "dotted 2px #4d5a65"}; }`).join(" ");

const isPlain = (field) => field.matches("textarea, input");

// The text of a field, and where in it each node of text begins.
function read(field) {
  if (isPlain(field)) return { text: field.value, nodes: [] };
  const nodes = [];
  let text = "";
  const part = () => { if (text && !text.endsWith("\n\n")) text += "\n\n"; };
  const walk = (node) => {
    const isBlock = BLOCK.test(node.nodeName);
    if (isBlock) part();
    if (node.nodeName === "LI") text += "- ";
    else if (/^H[1-6]$/.test(node.nodeName)) text += "## ";
    else if (node.nodeName === "BR") text += "\n";
    if (node.nodeType === Node.TEXT_NODE) {
      nodes.push({ node, start: text.length });
      text += node.data;
    }
    node.childNodes.forEach(walk);
    if (isBlock) part();
  };
  field.childNodes.forEach(walk);
  return { text, nodes };
}

function rangeOf(field, nodes, start, end) {
  const range = field.ownerDocument.createRange();
  const at = (place) => {
    const { node, start: first } = nodes.findLast((each) => each.start <= place) ?? nodes[0];
    return [node, Math.min(place - first, node.data.length)];
  };
  range.setStart(...at(start));
  range.setEnd(...at(end));
  return range;
}

function select(field, nodes, start, end) {
  field.focus();
  if (isPlain(field)) {
    field.setSelectionRange(start, end);
    return;
  }
  const selection = field.ownerDocument.getSelection();
  const range = rangeOf(field, nodes, start, end);
  selection.removeAllRanges();
  selection.addRange(range);
  range.startContainer.parentElement.scrollIntoView({ block: "nearest" });
}

function caretOf(field, nodes) {
  if (isPlain(field)) return field.selectionStart;
  const selection = field.ownerDocument.getSelection();
  const found = nodes.find((each) => each.node === selection?.focusNode);
  return found ? found.start + selection.focusOffset : -1;
}

// Marks in the text itself, without a change of its elements; where a browser cannot, in the copy.
function highlight(field, nodes, words, before) {
  const registry = field.ownerDocument.defaultView.CSS.highlights;
  if (!registry || isPlain(field)) return [];
  for (const { kind, range } of before) registry.get(`understand-${kind}`)?.delete(range);
  return words.map(({ kind, start, end }) => {
    const range = rangeOf(field, nodes, start, end);
    const name = `understand-${kind}`;
    if (!registry.has(name)) registry.set(name, new (field.ownerDocument.defaultView.Highlight)());
    registry.get(name).add(range);
    return { kind, range };
  });
}

// Put a panel behind a field, or behind another element; gives what takes it away again. `insert`
// puts a text in place of the selection where an editor wants to know of it.
export function attach(field, { beside = field, reader, english, insert } = {}) {
  const host = element("div", { className: "understandability" });
  const root = host.attachShadow({ mode: "open" });
  const status = element("p", { className: "spoken", role: "status", ariaLive: "polite" });
  const verdict = element("p");
  const list = element("ul");
  const copy = element("div", { className: "text" });
  const help = element("p", { className: "note" }, "In the text, Alt and the down arrow lead here; Escape leads back.");
  const details = element("details", {}, element("summary", {}, "The text with its marks"), copy);
  root.append(element("style", {}, STYLE), element("section", { ariaLabel: "How hard this text is" }, status, verdict, list, details, help));
  beside.after(host);
  if (!isPlain(field)) {
    const { document: page, CSSStyleSheet: Sheet } = field.ownerDocument.defaultView;
    const sheet = new Sheet();
    sheet.replaceSync(MARKS);
    page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
  }
  let [timer, busy, again, marks, lit] = [0, false, false, { words: [], sentences: [] }, []];

  function put({ start, end, word }, instead) {
    const { text, nodes } = read(field);
    if (!text.slice(start, end).includes(word)) return; // the text has changed since
    select(field, nodes, start, end);
    if (insert) insert(instead);
    else if (!field.ownerDocument.execCommand("insertText", false, instead) && isPlain(field)) {
      field.setRangeText(instead, start, end, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  function button(label, act) {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", act);
    return made;
  }
  const show = ({ start, end }) => select(field, read(field).nodes, start, end);

  function rowOf(mark) {
    const row = element("li", {}, button(mark.word, () => show(mark)), " ");
    const { offer, likely, kind } = mark;
    if (offer?.texts.length) row.append("say ", ...offer.texts.flatMap((text, n) => [button(offer.plain[n], () => put(mark, text)), " "]));
    else if (offer?.in_brackets) row.append("explain it: ", button(offer.in_brackets.replace(/[.,;:!?]+$/, ""), () => put(mark, offer.in_brackets)));
    else if (offer) row.append(offer.plain.length ? inPlainWords(offer.plain) : offer.note);
    else if (likely) row.append(button(likely, () => put(mark, likely)));
    else row.append(element("span", { className: "note" }, KINDS[kind].replace(/s$/, "")));
    row.dataset.start = mark.start;
    return row;
  }

  async function ask() {
    if (busy) {
      again = true;
      return;
    }
    const { text, nodes } = read(field);
    busy = true;
    again = false;
    try {
      const found = await explain(text, reader, false, english);
      if (read(field).text !== text) return;
      marks = marksOf(text, found, () => false);
      const chance = found.estimate.p_understandable;
      const aim = chance === null ? "" : ` Chance ${percent(chance)}, aim ${percent(found.aim)}${chance < found.aim ? "." : ": reached."}`;
      verdict.textContent = `${spoken(found)}.${aim}`;
      if (status.textContent !== verdict.textContent) status.textContent = verdict.textContent;
      const hardest = found.hardest.map((number) => {
        const mark = marks.sentences[number];
        const said = text.slice(mark.start, mark.end);
        const about = element("span", { className: "note" }, ` ${found.sentences[number].reasons.join("; ")}`);
        return element("li", {}, button(said.length > 80 ? `${said.slice(0, 80)} …` : said, () => show(mark)), about);
      });
      list.replaceChildren(...marks.words.slice(0, MOST).map(rowOf), ...hardest);
      draw(copy, text, marks);
      lit = highlight(field, nodes, marks.words, lit);
    } catch (error) {
      verdict.textContent = error.message;
    } finally {
      busy = false;
      if (again) ask();
    }
  }

  const changed = () => { clearTimeout(timer); timer = setTimeout(ask, CALM); };
  const keys = (event) => {
    if (!event.altKey || event.key !== "ArrowDown") return;
    event.preventDefault();
    const caret = caretOf(field, read(field).nodes);
    const mark = marks.words.find((each) => each.start <= caret && caret <= each.end);
    const row = mark && list.querySelector(`[data-start="${mark.start}"]`);
    (row?.querySelectorAll("button")[1] ?? row?.querySelector("button") ?? list.querySelector("button"))?.focus();
  };
  root.addEventListener("keydown", (event) => { if (event.key === "Escape") field.focus(); });
  field.addEventListener("input", changed);
  field.addEventListener("keydown", keys);
  ask();
  return () => {
    field.removeEventListener("input", changed);
    field.removeEventListener("keydown", keys);
    clearTimeout(timer);
    highlight(field, [], [], lit);
    host.remove();
  };
}

// What the page's own script element asks for.
const script = [...document.querySelectorAll("script[data-fields]")].find((each) => each.src === import.meta.url);
if (script) {
  if (script.dataset.token) useToken(script.dataset.token);
  const { fields, reader, english } = script.dataset;
  document.querySelectorAll(fields).forEach((field) => attach(field, { reader, english }));
}
