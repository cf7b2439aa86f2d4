/** Fills in how full each queue on the page is. The numbers are public: reading them keeps no session alive. */
const EVERY_MS = 5_000;
/** The gate's numbers may be 1.9 s old. Read sooner, they might not include the visitor who has just entered. */
const FIRST_MS = 2_000;
const MINUTE = 60;
const HOUR = 3_600;
const MINUTES_UNTIL = 100 * MINUTE;

/**
 * @typedef {{ low: number, high: number }} Wait
 * @typedef {{ active: number, maxActive: number, waiting: number, mode: string, phase: string, estimatedWaitSeconds: Wait, isStalled: boolean }} Numbers
 */

const NOT_ADMITTING = new Map([
  ["paused", "paused"],
  ["drain", "closed to newcomers"],
  ["maintenance", "closed for maintenance"],
  ["scheduled", "not open yet"],
  ["prequeue", "not open yet"],
  ["over", "closed to newcomers"],
]);

/** @param {Numbers} numbers */
function waitInWords({ mode, phase, estimatedWaitSeconds: wait, isStalled }) {
  if (mode === "open") return "none";
  const closed = NOT_ADMITTING.get(mode) ?? NOT_ADMITTING.get(phase);
  if (closed !== undefined) return closed;
  if (isStalled) return "no visitor is leaving at the moment";
  if (wait.high === 0) return "none";
  if (wait.high < MINUTE) return "less than a minute";
  const [unit, size] = wait.high <= MINUTES_UNTIL ? ["minutes", MINUTE] : ["hours", HOUR];
  const [from, to] = [Math.max(1, Math.floor(wait.low / size)), Math.ceil(wait.high / size)];
  return from >= to ? `about ${to} ${to === 1 ? unit.slice(0, -1) : unit}` : `about ${from}–${to} ${unit}`;
}

/** @param {number} value */
function count(value) {
  return value.toLocaleString("en");
}

/** @param {HTMLElement} queue */
async function showQueue(queue) {
  const response = await fetch(`/_sluice/queues/${queue.dataset["queue"]}`, {
    headers: { accept: "application/json" },
  });
  // An operator may have deleted a queue of the first start.
  queue.hidden = response.status === 404;
  if (queue.hidden) return;
  if (!response.ok) throw new Error(`the gate answered ${response.status}`);
  /** @type {Numbers} */
  const numbers = await response.json();
  const { active, maxActive, waiting } = numbers;
  const facts = {
    active: `${count(active)} of ${count(maxActive)}`,
    waiting: count(waiting),
    wait: waitInWords(numbers),
  };
  for (const [name, text] of Object.entries(facts)) {
    const element = queue.querySelector(`[data-fact="${name}"]`);
    if (element !== null && element.textContent !== text) element.textContent = text;
  }
}

const queues = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-queue]"))];
const note = document.getElementById("live");

async function showAll() {
  if (document.hidden) return;
  const isShown = await Promise.all(queues.map(showQueue)).then(
    () => true,
    () => false,
  );
  if (note === null) return;
  const text = isShown ? "" : "The numbers cannot be loaded at the moment. This page keeps trying.";
  if (note.textContent !== text) note.textContent = text;
  note.hidden = isShown;
}

document.addEventListener("visibilitychange", () => void showAll());
setTimeout(() => {
  void showAll();
  setInterval(() => void showAll(), EVERY_MS);
}, FIRST_MS);
