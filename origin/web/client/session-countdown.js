/**
 * Counts down a visitor's session. The gate is asked when the page loads, when the visitor wants to stay, and when the
 * time is up: a page that asked every few seconds would keep its session alive forever.
 */
const WARN_SECONDS = 20;
/** The gate renews a session after it has answered, so the new end may come with the next answer. */
const RENEWED_AFTER_MS = 1_500;
const TICK_MS = 500;
const ASK_AGAIN_MS = 10_000;

const session = element("session");
const queueId = session.dataset["queueId"] ?? "";
/** The browser's clock may be wrong. */
const offMs = Number(session.dataset["nowMs"]) - Date.now();
let endsAtMs = 0;
let isOver = false;
let isAsking = false;
let isWarned = false;
let askNextMs = 0;

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`there is no ${id} on the page`);
  return found;
}

function nowMs() {
  return Date.now() + offMs;
}

/** Asks for the visitor's state. No answer changes nothing. */
async function ask() {
  if (isAsking || isOver) return;
  isAsking = true;
  askNextMs = nowMs() + ASK_AGAIN_MS;
  try {
    const response = await fetch(`/_sluice/queues/${queueId}/heartbeat`, {
      method: "POST",
      headers: { accept: "application/json" },
      cache: "no-store",
    });
    if (response.ok) hear(await response.json());
    else if (response.status === 401) end();
  } catch {
    // Without a connection the countdown continues.
  } finally {
    isAsking = false;
  }
}

/** @param {{ state: string, expiresAt?: number }} answer */
function hear({ state, expiresAt = 0 }) {
  if (state !== "admitted") {
    end();
    return;
  }
  isWarned &&= expiresAt <= endsAtMs;
  endsAtMs = Math.max(endsAtMs, expiresAt);
  show();
}

function show() {
  const seconds = Math.max(0, Math.ceil((endsAtMs - nowMs()) / 1000));
  const text = clock(seconds);
  if (element("left").textContent !== text) element("left").textContent = text;
  session.style.setProperty("--chars", String(text.length));
  element("countdown").hidden = false;
  element("stay").hidden = false;
  if (seconds > WARN_SECONDS || seconds === 0 || isWarned) return;
  isWarned = true;
  element("told").textContent = `Your session ends in ${seconds} seconds.`;
}

/** @param {number} seconds */
function clock(seconds) {
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  return hours === 0 ? `${two(minutes)}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}

function end() {
  isOver = true;
  for (const id of ["countdown", "stay", "leave"]) element(id).hidden = true;
  element("again").hidden = false;
  for (const heading of document.getElementsByTagName("h1")) heading.textContent = "Your session is over";
  element("lead").textContent = "Your slot is free for the next visitor. You are welcome to join the line again.";
  element("told").textContent = "Your session is over.";
  document.title = "Your session is over · Demo";
  session.dataset["state"] = "over";
}

async function stay() {
  const before = endsAtMs;
  await ask();
  if (endsAtMs === before) {
    await new Promise((resolve) => setTimeout(resolve, RENEWED_AFTER_MS));
    await ask();
  }
  if (!isOver) element("told").textContent = `Your session ends in ${clock(Math.ceil((endsAtMs - nowMs()) / 1000))}.`;
}

function tick() {
  if (isOver || document.hidden || endsAtMs === 0) return;
  show();
  if (nowMs() > endsAtMs && nowMs() > askNextMs) void ask();
}

element("stay").addEventListener("click", () => void stay());
document.addEventListener("visibilitychange", tick);
// Back from another page: the shown time may be outdated.
window.addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
setInterval(tick, TICK_MS);
await ask();
