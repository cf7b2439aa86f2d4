import type { RoomTexts } from "./room-texts.ts";

export const en: RoomTexts = {
  checking: {
    heading: "Checking your browser",
    lead: "Your browser is solving a small puzzle that keeps robots out. It takes a few seconds; then you get your place automatically.",
  },
  notFound: {
    heading: "Page not found",
    lead: "There is nothing at this address. Check its spelling, or begin at the front page.",
  },
  leftInside: {
    heading: "You have left",
    lead: "Your visit is over, and the next person can come in. You are welcome to join the line again.",
  },
  home: "Front page",
  otherSite: {
    heading: "Please continue here",
    lead: "You came from another site, and your browser did not send your place along. Nothing was lost on our side: continue to go on with your place or your visit.",
  },
  banned: "The organiser has ended it. You can join the line again in {time}.",
  waiting: {
    heading: "You are in line",
    lead: "Keep this page open. It lets you in automatically when your turn comes.",
  },
  yourTurn: { heading: "It is your turn", lead: "Taking you to the page you asked for." },
  early: {
    heading: "Not open yet",
    lead: "Places in line are given out from {time}. Keep this page open: you get yours automatically.",
  },
  earlyLot:
    "You can join the draw from {time}. Keep this page open: you join automatically. It makes no difference who comes first.",
  prequeue: {
    heading: "You are in line",
    lead: "The line has not started to move. You have a place, in order of arrival. Keep this page open.",
  },
  prequeueLot: {
    heading: "You are in the draw",
    lead: "Everybody who comes before the start gets a place by lot, so it makes no difference who came first. Keep this page open.",
  },
  paused: {
    heading: "The line is paused",
    lead: "Nobody is being let in at the moment. Your place is safe; keep this page open.",
  },
  maintenance: {
    heading: "Back in a moment",
    lead: "We are doing some maintenance. This page tries again automatically.",
  },
  full: {
    heading: "The line is full",
    lead: "More people came than the line can hold. This page tries again automatically.",
  },
  storeDown: {
    heading: "One moment, please",
    lead: "We cannot look up the line right now. If you have a place, you keep it. This page tries again automatically.",
  },
  rateLimited: { heading: "A little too fast", lead: "There is no need to reload: this page tries again in a moment." },
  addressLimit: {
    heading: "Many visitors from your network",
    lead: "Your network already holds as many places as it may. This page tries again automatically until one is free.",
  },
  ended: {
    expired: { heading: "Your visit is over", lead: "Its time has run out. You are welcome to join the line again." },
    completed: { heading: "All done", lead: "Your visit is complete. Thank you for coming." },
    revoked: { heading: "Your visit was ended", lead: "The organiser has ended it. You can join the line again." },
    left: {
      heading: "You have left the line",
      lead: "Your place has gone to the next person. You are welcome to join the line again.",
    },
    closed: { heading: "The line is closed", lead: "Nobody new can join at the moment. Thank you for your interest." },
    lost: {
      heading: "We cannot find your ticket",
      lead: "Your browser no longer has it. Please allow cookies for this site, then join the line again.",
    },
  },
  placeLabel: "Your place in line",
  startLabel: "Starts in",
  startsAt: "Start: {time}",
  next: "You are next",
  ahead: { one: "{n} person ahead of you", other: "{n} people ahead of you" },
  crowd: { one: "{n} person", other: "{n} people" },
  waitLabel: "Estimated wait",
  about: "about {time}",
  underAMinute: "less than a minute",
  overADay: "more than a day",
  stalled: "Nobody is leaving at the moment.",
  stalledUntil: "At the latest: {time}, unless visits are extended.",
  updated: "Last update: {time}",
  notify: "Tell me when it is my turn",
  notifyOn: "We will tell you when it is your turn",
  offline: "You are offline. Your place is kept, and we carry on as soon as you are back.",
  reconnecting: "We cannot reach the line. Your place is kept, and we keep trying.",
  goOn: "Continue",
  again: "Join the line again",
  tryNow: "Try now",
  page: {
    crowdLabel: "In line",
    updatedNow: "Last update: just now",
    messageLabel: "From the organiser",
    progressLabel: "Your progress through the line",
    notSent: "What you sent did not go through. Please send it again when you are in.",
    needsScript: "This step needs JavaScript. Please switch it on for this site, then load the page again.",
    invites: {
      invite_invalid: "Your invitation does not work here. You have a normal place in line.",
      invite_expired: "Your invitation has run out. You have a normal place in line.",
      invite_used: "Your invitation has already been used. You have a normal place in line.",
      invite_revoked: "Your invitation was withdrawn. You have a normal place in line.",
    },
    leave: "Leave the line",
    leaveAsk: "Your place will go to the next person.",
    leaveYes: "Yes, leave the line",
    reference: "Reference",
    how: "How the order works",
    whyQuestion: "Why am I here?",
    why: "Many people want to use {name} at the same time. The line keeps it fast for those inside.",
    fairQuestion: "Is it fair?",
    fair: {
      fifo: "Yes. People go in strictly in the order in which they came; only guests with an invitation from the organiser may go ahead. Reloading or opening more windows changes nothing.",
      random:
        "Yes. Everybody who comes before the start gets a place by lot, so it does not matter who is first. Those who come later stand behind them, in order of arrival.",
      lottery:
        "Yes. Everybody who comes before the start gets a place by lot, and the draw can be checked afterwards. Those who come later stand behind them, in order of arrival.",
    },
    drawNumber: "Your number in the draw",
    closeQuestion: "May I close this page?",
    close: "Your place is kept for {time}. Come back with the same browser and you stand where you stood.",
  },
};
