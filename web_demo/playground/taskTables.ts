/** Shows the evidence of typed and released words for the bundle's tasks. */

import type { WordBundle } from "../src/wordBundle.js";
import type { Word } from "./released.js";
import { largest, sharesOf, tasksOf, verdict, type Share } from "./tasks.js";
import { ofHundred, verdicts } from "./words.js";

const SHOWN = 6; // classes of a task

const COLUMNS = ["typed", "released"] as const;

/**
 * Returns a function that shows `section`'s tables for a text, and announces the verdicts. Without tasks, it does
 * nothing.
 */
export function judging(bundle: WordBundle, section: HTMLElement): (words: readonly Word[]) => string {
  const tables = tasksOf(bundle).map((task) => {
    const table = Object.assign(document.createElement("table"), { className: "task" });
    const caption = table.createCaption();
    const head = table.createTHead().insertRow();
    for (const name of ["Class", "Typed", "Released"]) head.append(heading("col", name));
    return { task, table, caption, body: table.createTBody() };
  });
  section.hidden = tables.length === 0;
  section.querySelector(".tables")!.replaceChildren(...tables.map(({ table }) => table));
  return (words) => {
    const typed = words.map(({ id }) => id);
    const released = words.map((word) => word.released);
    const said = tables.map(({ task, caption, body }) => {
      const shares = sharesOf(bundle, task, typed, released);
      body.replaceChildren(...largest(shares, SHOWN).map((share) => rowOf(share, shares)));
      const news = verdicts(task.name, verdict(shares, "typed"), verdict(shares, "released"));
      caption.textContent = news;
      return news;
    });
    return said.join(" ");
  };
}

function rowOf(share: Share, all: readonly Share[]): HTMLTableRowElement {
  const row = document.createElement("tr");
  const name = heading("row", "");
  // A narrow column breaks a name before a capital, not inside a word.
  for (const part of share.name.split(/(?<=[a-z])(?=[A-Z])/)) name.append(part, document.createElement("wbr"));
  row.append(name);
  for (const column of COLUMNS) {
    const cell = row.insertCell();
    const number = Object.assign(document.createElement("span"), { textContent: `${ofHundred(share[column])}%` });
    number.classList.toggle("most", verdict(all, column) === share);
    const bar = Object.assign(document.createElement("i"), { className: "bar", ariaHidden: "true" });
    bar.style.setProperty("--share", `${100 * share[column]}%`);
    cell.append(number, bar);
  }
  return row;
}

const heading = (scope: "col" | "row", textContent: string): HTMLTableCellElement =>
  Object.assign(document.createElement("th"), { scope, textContent });
