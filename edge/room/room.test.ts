import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../line/page/language.ts";
import { LOGO_CHARS_MAX } from "../line/page/template.ts";
import { queueSettingsSchema } from "../line/settings.ts";
import { INVITE_FAULTS } from "./invite-fault.ts";
import { type Room, renderRoom } from "./room.ts";
import {
  ROOM_STATE_NAMES,
  readMemory,
  rememberPlace,
  type WaitingFacts,
  waitingState,
  writeMemory,
} from "./room-state.ts";
import { sampleState } from "./sample-state.ts";
import { textsOf } from "./texts-of.ts";
import { createWords } from "./words.ts";

const PAGE_BYTES_MAX = 15_000;
const NOW_MS = Date.UTC(2026, 10, 20);

const settings = queueSettingsSchema.parse({ name: "Launch", maxActive: 1, admissionRate: 1 });

function roomOf(changes: Partial<Room> = {}, own: Partial<typeof settings> = {}): Room {
  return {
    state: sampleState("waiting", NOW_MS),
    language: { language: "en", locale: "en" },
    queue: { queueId: "launch", settings: { ...settings, ...own } },
    siteName: "shop.example",
    next: { kind: "poll", afterMs: 4_200 },
    returnTo: "/launch/?a=1&b=2",
    mayReload: true,
    nonce: "NONCE",
    requestId: "REQUEST",
    nowMs: NOW_MS,
    ...changes,
  };
}

async function gzippedBytes(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

/** Bytes that do not compress, as in a picture. */
function noise(length: number): string {
  let state = 7;
  const bytes = Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(state & 255);
  });
  return btoa(`\x89PNG\r\n\x1a\n${bytes.join("")}`);
}

/** Letters without any sense, which compress worse than words do: three bytes each before, and one of 128. */
function wordy(length: number): string {
  let state = length;
  const codes = Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return 0x4e00 + (state % 128);
  });
  return String.fromCharCode(...codes);
}

describe("the visitor's page", () => {
  const every = ROOM_STATE_NAMES.flatMap((name) => LANGUAGES.map((language) => [name, language] as const));

  it("has less than 15 kB on the wire with style and script, in every state and language, with all that an operator may add", async () => {
    const prefix = "data:image/png;base64,";
    const logo = `${prefix}${noise(LOGO_CHARS_MAX)}`.slice(0, LOGO_CHARS_MAX);
    const template = { logo, title: wordy(120), intro: wordy(600) };
    for (const [name, language] of every) {
      const plain = roomOf({ state: sampleState(name, NOW_MS), language: { language, locale: language } });
      const full = { ...plain, queue: { queueId: "launch", settings: { ...settings, message: wordy(500), template } } };
      expect([name, language, (await gzippedBytes(renderRoom(full))) < PAGE_BYTES_MAX]).toEqual([name, language, true]);
      const early = {
        name: "prequeue",
        opensAtMs: NOW_MS + 9,
        placesOpenAtMs: NOW_MS + 5,
        total: undefined,
        isDrawn: true,
      } as const;
      if (name === "prequeue")
        expect(await gzippedBytes(renderRoom({ ...full, state: early }))).toBeLessThan(PAGE_BYTES_MAX);
    }
  });

  it("has less than 15 kB on the wire also with proof of work", async () => {
    const challenge = { token: noise(400), id: "AAAAAAAAAAAAAAAAAAAAAA", bits: 20 };
    for (const language of LANGUAGES) {
      const plain = roomOf({
        state: { name: "checking" },
        language: { language, locale: language },
        next: { kind: "prove", challenge },
      });
      const page = renderRoom(plain);
      expect([language, (await gzippedBytes(page)) < PAGE_BYTES_MAX, /<noscript><p/.test(page)]).toEqual([
        language,
        true,
        true,
      ]);
      expect(page).not.toContain('http-equiv="refresh"');
    }
  });

  it("says why an invite failed, in every language", () => {
    for (const [language, inviteFault] of LANGUAGES.flatMap((code) =>
      INVITE_FAULTS.map((fault) => [code, fault] as const),
    )) {
      const page = renderRoom(
        roomOf({ state: sampleState("waiting", NOW_MS), language: { language, locale: language }, inviteFault }),
      );
      expect(page).toContain(`role="status">${textsOf[language].page.invites[inviteFault]}`);
    }
  });

  it("loads nothing, and everything that runs or paints carries the nonce", () => {
    for (const [name, language] of every) {
      const page = renderRoom(roomOf({ state: sampleState(name, NOW_MS), language: { language, locale: language } }));
      expect(page).not.toMatch(/\b(?:src|href)="(?!data:|\/launch\/)/);
      expect(page).not.toMatch(/\son\w+=|\sstyle=|@import|url\(/);
      expect(page.match(/<style(?! nonce="NONCE")/)).toBeNull();
      expect(page.match(/<script nonce="NONCE"/g)).toHaveLength(2);
      expect(page.match(/<script(?! nonce="NONCE"| id="facts" type="application\/json")/g)).toBeNull();
      expect(page.match(/<\/script/g)).toHaveLength(3);
    }
  });

  it("says its language and reading direction", () => {
    const tagOf = (language: (typeof LANGUAGES)[number]) =>
      /<html [^>]*>/.exec(renderRoom(roomOf({ language: { language, locale: language } })))?.[0];
    expect(tagOf("fa")).toContain('lang="fa" dir="rtl"');
    expect(tagOf("zh")).toContain('lang="zh-Hans" dir="ltr"');
  });

  it("shows the place, the progress, the estimate, and the size of the line", () => {
    const page = renderRoom(roomOf());
    expect(page).toMatch(/id="position">1,204</);
    expect(page).toContain("1,203 people ahead of you");
    expect(page).toContain('aria-valuenow="59"');
    expect(page).toContain("about 2–5 minutes");
    expect(page).toContain("5,310 people");
    expect(page).toContain("<title>1,204 · Launch</title>");
  });

  it("tells an early visitor when places can be taken, and never that there is one already", () => {
    const early = {
      name: "prequeue",
      opensAtMs: NOW_MS + 7_200_000,
      placesOpenAtMs: NOW_MS + 3_600_000,
      total: undefined,
    } as const;
    for (const language of LANGUAGES) {
      const opens = createWords(language, "UTC").moment(NOW_MS + 3_600_000);
      for (const isDrawn of [false, true]) {
        const page = renderRoom(roomOf({ state: { ...early, isDrawn }, language: { language, locale: language } }));
        expect(page).toContain(`<h1>${textsOf[language].early.heading}</h1>`);
        expect([language, /<p id="lead"[^>]*>[^<]*/.exec(page)?.[0].includes(opens)]).toEqual([language, true]);
      }
    }
  });

  it("tells a place in order of arrival from a share in the draw before the start", () => {
    const waiting = { name: "prequeue", opensAtMs: NOW_MS + 7_200_000, total: 20 } as const;
    const headingOf = (isDrawn: boolean) =>
      /<h1>(.*?)<\/h1>/.exec(renderRoom(roomOf({ state: { ...waiting, isDrawn } })))?.[1];
    expect([headingOf(false), headingOf(true)]).toEqual(["You are in line", "You are in the draw"]);
  });

  it("reloads without a script, at the requested address", () => {
    expect(renderRoom(roomOf())).toContain(
      '<noscript><meta http-equiv="refresh" content="5;url=/launch/?a=1&amp;b=2"></noscript>',
    );
    expect(renderRoom(roomOf({ next: { kind: "stay" } }))).not.toContain("http-equiv");
  });

  it("does nothing automatically in an operator's preview", () => {
    const page = renderRoom(roomOf({ isPreview: true }));
    expect(page).not.toMatch(/<script|http-equiv/);
    expect(page.match(/<button [^>]*disabled>/g)).toHaveLength(2);
  });

  it("previews the page as visitors with a script see it: with the script's additions, and no open question", () => {
    const page = renderRoom(roomOf({ isPreview: true }));
    expect(page).toContain('id="notify" class="button quiet" type="button" aria-pressed="false" disabled>');
    expect(page).toContain('<p id="leave-ask" role="status" hidden>');
    expect(renderRoom(roomOf({ isPreview: true, state: { name: "full" } }))).toContain('aria-pressed="false" hidden>');
    expect(renderRoom(roomOf())).toContain('<p id="leave-ask" role="status">');
  });

  it("works without a queue while its settings are unknown", () => {
    const page = renderRoom(roomOf({ queue: undefined, state: { name: "storeDown" } }));
    expect(page).toContain("shop.example");
    expect(page).not.toContain("/leave");
  });
});

describe("text of an operator or a visitor", () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror="alert(1)">'"&`;

  it("is escaped everywhere on the page", () => {
    const template = { title: `${evil.slice(0, 60)} {{queueName}}`, intro: `{{queueName}} {{wait}}` };
    const page = renderRoom(
      roomOf({ returnTo: `/x?q=${evil}`, requestId: evil }, { name: evil, message: evil, template }),
    );
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img");
    expect(page).not.toContain('"alert(1)"');
    expect(page.match(/<\/script/g)).toHaveLength(3);
    const facts = /<script id="facts"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    expect((JSON.parse(facts) as { queueName: string }).queueName).toBe(evil);
  });

  it("fills in the placeholders of a title and an intro, in the visitor's language where there is one", () => {
    const template = {
      title: "{{queueName}}: {{position}} of {{total}}",
      intro: "Hold on, {{wait}}",
      translations: { fa: { title: "صف {{position}}" } },
    };
    const page = renderRoom(roomOf({}, { template }));
    expect(page).toContain("<h1>Launch: 1,204 of 5,310</h1>");
    expect(page).toContain("Hold on, about 2–5 minutes");
    const persian = renderRoom(roomOf({ language: { language: "fa", locale: "fa" } }, { template }));
    expect(persian).toContain("<h1>صف ۱٬۲۰۴</h1>");
    expect(renderRoom(roomOf({ state: { name: "full" } }, { template }))).toContain("<h1>The line is full</h1>");
  });

  it("carries its own language and direction where it is not translated", () => {
    const template = { title: "Welcome", intro: "Hold on", translations: { de: { title: "Willkommen" } } };
    const persian = { language: { language: "fa", locale: "fa" } } as const;
    const page = renderRoom(roomOf(persian, { template, message: "Back at noon" }));
    expect(page).toContain('<h1 lang="en" dir="auto">Welcome</h1>');
    expect(page).toContain('<p id="lead" class="lead" lang="en" dir="auto">Hold on</p>');
    expect(page).toContain('<p id="message-text" lang="en" dir="auto">Back at noon</p>');
    const german = renderRoom(roomOf({ language: { language: "de", locale: "de" } }, { template, language: "ar" }));
    expect(german).toContain("<h1>Willkommen</h1>");
    expect(german).toContain('<p id="lead" class="lead" lang="ar" dir="rtl">Hold on</p>');
    expect(renderRoom(roomOf({ ...persian, state: { name: "full" } }, { template }))).toContain(
      `<h1>${textsOf.fa.full.heading}</h1>`,
    );
  });

  it("changes colours and nothing else about the style", () => {
    const page = renderRoom(
      roomOf({}, { template: { colours: { light: { accent: "#8A1C1C", background: "#FFFFFF" } } } }),
    );
    expect(page).toContain("--accent:#8a1c1c");
    expect(page).toContain("--page:#ffffff");
  });
});

describe("a place that was shown", () => {
  const facts: WaitingFacts = {
    position: 40,
    total: 90,
    estimatedWaitSeconds: { low: 1, high: 2 },
    enqueuedAt: 5_000,
    mode: "active",
  };

  it("never gets worse while the visitor waits, and is forgotten with the wait", () => {
    const first = rememberPlace(undefined, facts);
    const worse = rememberPlace(first, { ...facts, position: 55 });
    const better = rememberPlace(worse, { ...facts, position: 12 });
    expect([first?.best, worse?.best, better?.best, better?.first]).toEqual([40, 40, 12, 40]);
    expect(rememberPlace(better, { ...facts, enqueuedAt: 6_000, position: 70 })).toEqual({
      joinedAt: 6_000,
      first: 70,
      best: 70,
    });
  });

  it("survives a cookie, and a foreign value is ignored", () => {
    const memory = { joinedAt: 1_790_000_000_000, first: 1_000_000, best: 3 };
    expect(readMemory(writeMemory(memory))).toEqual(memory);
    for (const text of [
      undefined,
      "",
      "1.2",
      "1.2.3.4",
      "1.2.x",
      "1.2.3",
      "-1.2.1",
      "1.5.0",
      `1.${"9".repeat(20)}.1`,
    ]) {
      expect(readMemory(text)).toBeUndefined();
    }
  });

  it("is not shown before the start, and stays while the line is paused or in maintenance", () => {
    const memory = rememberPlace(undefined, facts);
    const nameOf = (changes: Partial<WaitingFacts>) => waitingState({ ...facts, ...changes }, memory).name;
    expect(nameOf({})).toBe("waiting");
    expect(nameOf({ mode: "drain" })).toBe("waiting");
    expect(nameOf({ mode: "paused" })).toBe("paused");
    expect(nameOf({ mode: "maintenance" })).toBe("maintenance");
    expect(nameOf({ phase: "prequeue", opensAt: NOW_MS })).toBe("prequeue");
    expect(nameOf({ phase: "line", opensAt: NOW_MS })).toBe("waiting");
  });
});
