import type { RoomTexts } from "./room-texts.ts";

export const fr: RoomTexts = {
  checking: {
    heading: "Vérification de votre navigateur",
    lead: "Votre navigateur résout un petit calcul qui tient les robots à l’écart. Cela prend quelques secondes, puis vous obtenez votre place automatiquement.",
  },
  notFound: {
    heading: "Page introuvable",
    lead: "Il n’y a rien à cette adresse. Vérifiez-la ou commencez par la page d’accueil.",
  },
  leftInside: {
    heading: "Vous êtes sorti",
    lead: "Votre visite est terminée et la personne suivante peut entrer. Vous pouvez reprendre la file.",
  },
  home: "Page d’accueil",
  otherSite: {
    heading: "Veuillez continuer ici",
    lead: "Vous venez d’un autre site et votre navigateur n’a pas transmis votre place. Rien n’est perdu de notre côté : continuez pour retrouver votre place ou votre visite.",
  },
  banned: "L’organisateur y a mis fin. Vous pourrez vous remettre dans la file dans {time}.",
  waiting: {
    heading: "Vous êtes dans la file",
    lead: "Gardez cette page ouverte : vous entrerez automatiquement quand ce sera votre tour.",
  },
  yourTurn: { heading: "C’est votre tour", lead: "Nous vous faisons entrer." },
  early: {
    heading: "Ce n’est pas encore ouvert",
    lead: "Les places dans la file sont attribuées à partir de : {time}. Gardez cette page ouverte, vous aurez la vôtre automatiquement.",
  },
  earlyLot:
    "Vous pourrez participer au tirage au sort à partir de : {time}. Gardez cette page ouverte, vous participerez automatiquement. Inutile d’arriver en premier.",
  prequeue: {
    heading: "Vous êtes dans la file",
    lead: "La file n’avance pas encore. Vous avez une place, dans l’ordre d’arrivée. Gardez cette page ouverte.",
  },
  prequeueLot: {
    heading: "Vous participez au tirage au sort",
    lead: "Toutes les personnes arrivées avant l’ouverture reçoivent une place par tirage au sort : inutile d’arriver en premier. Gardez cette page ouverte.",
  },
  paused: {
    heading: "La file est en pause",
    lead: "Personne n’entre pour le moment. Votre place est conservée ; gardez cette page ouverte.",
  },
  maintenance: {
    heading: "De retour dans un instant",
    lead: "Nous travaillons sur cette page. Elle réessaie d’elle-même.",
  },
  full: {
    heading: "La file est complète",
    lead: "Il y a plus de monde que la file ne peut en accueillir. Cette page réessaie d’elle-même.",
  },
  storeDown: {
    heading: "Un instant, s’il vous plaît",
    lead: "Nous ne pouvons pas consulter la file pour le moment. Si vous avez une place, vous la gardez. Cette page réessaie d’elle-même.",
  },
  rateLimited: {
    heading: "Un peu trop vite",
    lead: "Inutile de recharger : cette page réessaie d’elle-même dans un instant.",
  },
  addressLimit: {
    heading: "Beaucoup de visiteurs sur votre réseau",
    lead: "Votre réseau occupe déjà toutes les places auxquelles il a droit. Cette page réessaie d’elle-même jusqu’à ce qu’une place se libère.",
  },
  ended: {
    expired: {
      heading: "Votre visite est terminée",
      lead: "Le temps prévu est écoulé. Vous pouvez reprendre la file.",
    },
    completed: { heading: "C’est fait", lead: "Votre visite est terminée. Merci d’être venu." },
    revoked: {
      heading: "Votre visite a été interrompue",
      lead: "L’organisateur y a mis fin. Vous pouvez reprendre la file.",
    },
    left: {
      heading: "Vous avez quitté la file",
      lead: "Votre place est passée à la personne suivante. Vous pouvez reprendre la file.",
    },
    closed: {
      heading: "La file est fermée",
      lead: "Il n’est plus possible de la rejoindre pour le moment. Merci de votre intérêt.",
    },
    lost: {
      heading: "Nous ne trouvons pas votre ticket",
      lead: "Votre navigateur ne le présente plus. Autorisez les cookies pour ce site, puis reprenez la file.",
    },
  },
  placeLabel: "Votre place dans la file",
  startLabel: "Ouverture dans",
  startsAt: "Ouverture : {time}",
  next: "Vous êtes le prochain",
  ahead: { one: "{n} personne devant vous", many: "{n} de personnes devant vous", other: "{n} personnes devant vous" },
  crowd: { one: "{n} personne", many: "{n} de personnes", other: "{n} personnes" },
  waitLabel: "Attente estimée",
  about: "environ {time}",
  underAMinute: "moins d’une minute",
  overADay: "plus d’un jour",
  stalled: "Personne ne sort pour le moment.",
  stalledUntil: "Au plus tard : {time}, sauf visites prolongées.",
  updated: "Dernière mise à jour : {time}",
  notify: "Me prévenir quand ce sera mon tour",
  notifyOn: "Nous vous préviendrons quand ce sera votre tour",
  offline: "Vous êtes hors ligne. Votre place est conservée ; nous reprendrons dès votre retour.",
  reconnecting: "La connexion est mauvaise. Votre place est conservée ; nous continuons d’essayer.",
  goOn: "Continuer",
  again: "Reprendre la file",
  tryNow: "Réessayer",
  page: {
    crowdLabel: "Dans la file",
    updatedNow: "Mis à jour à l’instant",
    messageLabel: "Message de l’organisateur",
    progressLabel: "Votre progression dans la file",
    notSent: "Votre envoi n’a pas abouti. Renvoyez-le une fois entré, s’il vous plaît.",
    needsScript: "Cette étape nécessite JavaScript. Activez-le pour ce site, puis rechargez la page.",
    invites: {
      invite_invalid: "Votre invitation n’est pas valable ici. Vous avez une place normale dans la file.",
      invite_expired: "Votre invitation a expiré. Vous avez une place normale dans la file.",
      invite_used: "Votre invitation a déjà été utilisée. Vous avez une place normale dans la file.",
      invite_revoked: "Votre invitation a été retirée. Vous avez une place normale dans la file.",
    },
    leave: "Quitter la file",
    leaveAsk: "Votre place passera à la personne suivante.",
    leaveYes: "Oui, quitter la file",
    reference: "Référence",
    how: "Comment fonctionne l’ordre",
    whyQuestion: "Pourquoi suis-je ici ?",
    why: "Beaucoup de personnes veulent accéder à {name} en même temps. La file garantit la rapidité à celles qui sont à l’intérieur.",
    fairQuestion: "Est-ce équitable ?",
    fair: {
      fifo: "Oui. On entre strictement dans l’ordre d’arrivée ; seuls les invités de l’organisateur peuvent passer devant. Recharger la page ou ouvrir d’autres fenêtres ne change rien.",
      random:
        "Oui. Les personnes arrivées avant l’ouverture reçoivent une place par tirage au sort : peu importe qui arrive en premier. Les suivantes se placent derrière, dans l’ordre d’arrivée.",
      lottery:
        "Oui. Les personnes arrivées avant l’ouverture reçoivent une place par tirage au sort, vérifiable par la suite. Les suivantes se placent derrière, dans l’ordre d’arrivée.",
    },
    drawNumber: "Votre numéro dans le tirage",
    closeQuestion: "Puis-je fermer cette page ?",
    close: "Votre place est conservée pendant {time}. Revenez avec le même navigateur et vous la retrouverez.",
  },
};
