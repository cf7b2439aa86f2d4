import type { RoomTexts } from "./room-texts.ts";

export const de: RoomTexts = {
  checking: {
    heading: "Ihr Browser wird geprüft",
    lead: "Ihr Browser löst eine kleine Rechenaufgabe, die Roboter fernhält. Das dauert ein paar Sekunden, dann bekommen Sie Ihren Platz von selbst.",
  },
  notFound: {
    heading: "Seite nicht gefunden",
    lead: "Unter dieser Adresse gibt es nichts. Prüfen Sie die Schreibweise, oder beginnen Sie auf der Startseite.",
  },
  leftInside: {
    heading: "Sie sind gegangen",
    lead: "Ihr Besuch ist zu Ende, und die nächste Person kann hinein. Sie können sich gern wieder anstellen.",
  },
  home: "Zur Startseite",
  otherSite: {
    heading: "Bitte hier fortfahren",
    lead: "Sie kommen von einer anderen Website, und Ihr Browser hat Ihren Platz nicht mitgeschickt. Bei uns ist nichts verloren gegangen: Fahren Sie fort, um mit Ihrem Platz oder Besuch weiterzumachen.",
  },
  banned: "Der Veranstalter hat ihn beendet. In {time} können Sie sich wieder anstellen.",
  waiting: {
    heading: "Sie stehen in der Warteschlange",
    lead: "Lassen Sie diese Seite geöffnet. Sobald Sie an der Reihe sind, geht es von selbst weiter.",
  },
  yourTurn: { heading: "Sie sind an der Reihe", lead: "Wir bringen Sie jetzt hinein." },
  early: {
    heading: "Noch nicht geöffnet",
    lead: "Plätze in der Warteschlange gibt es ab {time}. Lassen Sie diese Seite geöffnet, dann bekommen Sie Ihren von selbst.",
  },
  earlyLot:
    "An der Verlosung können Sie ab {time} teilnehmen. Lassen Sie diese Seite geöffnet, dann nehmen Sie von selbst teil. Früher zu kommen bringt keinen Vorteil.",
  prequeue: {
    heading: "Sie stehen in der Warteschlange",
    lead: "Es wird noch niemand eingelassen. Sie haben einen Platz in der Reihenfolge der Ankunft. Lassen Sie diese Seite geöffnet.",
  },
  prequeueLot: {
    heading: "Sie nehmen an der Verlosung teil",
    lead: "Wer vor dem Start kommt, bekommt seinen Platz durch das Los. Früher zu kommen bringt also keinen Vorteil. Lassen Sie diese Seite geöffnet.",
  },
  paused: {
    heading: "Die Warteschlange macht Pause",
    lead: "Im Moment wird niemand eingelassen. Ihr Platz ist sicher; lassen Sie diese Seite geöffnet.",
  },
  maintenance: {
    heading: "Gleich zurück",
    lead: "Wir arbeiten gerade an dieser Seite. Sie versucht es von selbst wieder.",
  },
  full: {
    heading: "Die Warteschlange ist voll",
    lead: "Es sind mehr Menschen gekommen, als hineinpassen. Diese Seite versucht es von selbst wieder.",
  },
  storeDown: {
    heading: "Einen Moment, bitte",
    lead: "Wir können die Warteschlange gerade nicht abfragen. Wenn Sie einen Platz haben, behalten Sie ihn. Diese Seite versucht es von selbst wieder.",
  },
  rateLimited: {
    heading: "Ein wenig zu schnell",
    lead: "Sie brauchen nicht neu zu laden: Diese Seite versucht es gleich von selbst wieder.",
  },
  addressLimit: {
    heading: "Viele Besucher aus Ihrem Netz",
    lead: "Ihr Netz belegt schon so viele Plätze, wie es darf. Diese Seite versucht es von selbst wieder, bis einer frei wird.",
  },
  ended: {
    expired: {
      heading: "Ihr Besuch ist zu Ende",
      lead: "Die Zeit ist abgelaufen. Sie können sich gern wieder anstellen.",
    },
    completed: { heading: "Fertig", lead: "Ihr Besuch ist abgeschlossen. Danke, dass Sie da waren." },
    revoked: {
      heading: "Ihr Besuch wurde beendet",
      lead: "Der Veranstalter hat ihn beendet. Sie können sich wieder anstellen.",
    },
    left: {
      heading: "Sie haben die Warteschlange verlassen",
      lead: "Ihr Platz ist an die nächste Person gegangen. Sie können sich gern wieder anstellen.",
    },
    closed: {
      heading: "Die Warteschlange ist geschlossen",
      lead: "Im Moment kann sich niemand mehr anstellen. Danke für Ihr Interesse.",
    },
    lost: {
      heading: "Wir finden Ihr Ticket nicht",
      lead: "Ihr Browser zeigt es nicht mehr vor. Bitte erlauben Sie Cookies für diese Seite und stellen Sie sich wieder an.",
    },
  },
  placeLabel: "Ihr Platz in der Warteschlange",
  startLabel: "Start in",
  startsAt: "Start: {time}",
  next: "Sie sind als Nächstes dran",
  ahead: { one: "{n} Person vor Ihnen", other: "{n} Personen vor Ihnen" },
  crowd: { one: "{n} Person", other: "{n} Personen" },
  waitLabel: "Voraussichtliche Wartezeit",
  about: "etwa {time}",
  underAMinute: "weniger als eine Minute",
  overADay: "mehr als ein Tag",
  stalled: "Im Moment geht drinnen niemand.",
  stalledUntil: "Spätestens: {time}, falls niemand länger bleibt.",
  updated: "Zuletzt aktualisiert: {time}",
  notify: "Sagen Sie mir, wenn ich dran bin",
  notifyOn: "Wir melden uns, wenn Sie dran sind",
  offline: "Sie sind offline. Ihr Platz bleibt Ihnen; es geht weiter, sobald Sie wieder verbunden sind.",
  reconnecting: "Die Verbindung ist schlecht. Ihr Platz bleibt Ihnen; wir versuchen es weiter.",
  goOn: "Weiter",
  again: "Wieder anstellen",
  tryNow: "Jetzt versuchen",
  page: {
    crowdLabel: "In der Warteschlange",
    updatedNow: "Gerade aktualisiert",
    messageLabel: "Vom Veranstalter",
    progressLabel: "Ihr Weg durch die Warteschlange",
    notSent:
      "Was Sie abgeschickt haben, ist nicht angekommen. Bitte schicken Sie es noch einmal ab, wenn Sie drin sind.",
    needsScript:
      "Dieser Schritt braucht JavaScript. Bitte erlauben Sie es für diese Website und laden Sie die Seite neu.",
    invites: {
      invite_invalid: "Ihre Einladung gilt hier nicht. Sie haben einen normalen Platz in der Warteschlange.",
      invite_expired: "Ihre Einladung ist abgelaufen. Sie haben einen normalen Platz in der Warteschlange.",
      invite_used: "Ihre Einladung wurde schon benutzt. Sie haben einen normalen Platz in der Warteschlange.",
      invite_revoked: "Ihre Einladung wurde zurückgezogen. Sie haben einen normalen Platz in der Warteschlange.",
    },
    leave: "Warteschlange verlassen",
    leaveAsk: "Ihr Platz geht dann an die nächste Person.",
    leaveYes: "Ja, Warteschlange verlassen",
    reference: "Vorgang",
    how: "Wie die Reihenfolge entsteht",
    whyQuestion: "Warum bin ich hier?",
    why: "Viele Menschen möchten {name} gleichzeitig nutzen. Die Warteschlange sorgt dafür, dass es drinnen schnell bleibt.",
    fairQuestion: "Geht es gerecht zu?",
    fair: {
      fifo: "Ja. Eingelassen wird streng in der Reihenfolge der Ankunft; nur Gäste mit einer Einladung des Veranstalters dürfen vor. Neu laden oder weitere Fenster ändern daran nichts.",
      random:
        "Ja. Wer vor dem Start kommt, bekommt seinen Platz durch das Los; es kommt also nicht darauf an, wer zuerst da ist. Wer später kommt, steht dahinter, in der Reihenfolge der Ankunft.",
      lottery:
        "Ja. Wer vor dem Start kommt, bekommt seinen Platz durch das Los, und die Verlosung lässt sich danach überprüfen. Wer später kommt, steht dahinter, in der Reihenfolge der Ankunft.",
    },
    drawNumber: "Ihre Nummer in der Verlosung",
    closeQuestion: "Darf ich diese Seite schließen?",
    close:
      "Ihr Platz bleibt für {time} reserviert. Kommen Sie mit demselben Browser zurück, dann stehen Sie dort, wo Sie standen.",
  },
};
