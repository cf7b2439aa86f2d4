import type { PageFacts } from "../page-facts.ts";
import { byId } from "./screen.ts";

/** Tells a visitor who looks elsewhere that it is their turn, if they asked for it: browsers want a click first. */
export type Bell = { readonly ring: () => void; readonly hide: () => void };

/** Two soft notes, a fifth apart. */
const NOTES = [
  { hertz: 587, atSeconds: 0 },
  { hertz: 880, atSeconds: 0.18 },
] as const;
const NOTE_SECONDS = 0.9;
const VOLUME = 0.18;

export function createBell({ texts, queueName }: PageFacts): Bell {
  const button = byId("notify");
  const isPressed = () => button.getAttribute("aria-pressed") === "true";
  let sound: AudioContext | undefined;
  button.hidden = false;

  button.addEventListener("click", () => {
    const isOn = !isPressed();
    button.setAttribute("aria-pressed", String(isOn));
    button.textContent = isOn ? texts.notifyOn : texts.notify;
    if (!isOn) return;
    sound ??= new AudioContext();
    chime(sound);
    // A visitor may say no; then the sound and the title of the tab have to do.
    if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
  });

  return {
    ring() {
      if (!isPressed()) return;
      if (sound !== undefined) chime(sound);
      if (document.hidden) notify(texts.yourTurn.heading, queueName);
    },
    hide() {
      button.hidden = true;
    },
  };
}

function chime(sound: AudioContext): void {
  for (const { hertz, atSeconds } of NOTES) {
    const startsAt = sound.currentTime + atSeconds;
    const note = new OscillatorNode(sound, { frequency: hertz });
    const volume = new GainNode(sound, { gain: 0 });
    volume.gain.linearRampToValueAtTime(VOLUME, startsAt + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, startsAt + NOTE_SECONDS);
    note.connect(volume).connect(sound.destination);
    note.start(startsAt);
    note.stop(startsAt + NOTE_SECONDS);
  }
}

function notify(title: string, body: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  try {
    const notification = new Notification(title, { body, tag: "sluice" });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Browsers on phones show notifications only on behalf of a service worker, which this page is not.
  }
}
