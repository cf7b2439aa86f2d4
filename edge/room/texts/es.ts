import type { RoomTexts } from "./room-texts.ts";

export const es: RoomTexts = {
  checking: {
    heading: "Comprobando tu navegador",
    lead: "Tu navegador está resolviendo un pequeño cálculo que mantiene fuera a los robots. Tarda unos segundos y después recibirás tu lugar automáticamente.",
  },
  notFound: {
    heading: "Página no encontrada",
    lead: "No hay nada en esta dirección. Revisa cómo está escrita o empieza por la página de inicio.",
  },
  leftInside: {
    heading: "Has salido",
    lead: "Tu visita ha terminado y la siguiente persona puede entrar. Puedes volver a ponerte en la fila.",
  },
  home: "Página de inicio",
  otherSite: {
    heading: "Continúe aquí, por favor",
    lead: "Viene de otro sitio y su navegador no envió su puesto. No se ha perdido nada por nuestra parte: continúe para seguir con su puesto o su visita.",
  },
  banned: "El organizador la ha terminado. Podrá volver a la fila dentro de {time}.",
  waiting: {
    heading: "Ya estás en la fila",
    lead: "Mantén esta página abierta: entrarás automáticamente cuando llegue tu turno.",
  },
  yourTurn: { heading: "Es tu turno", lead: "Te estamos dando paso." },
  early: {
    heading: "Aún no está abierto",
    lead: "Los lugares en la fila se reparten a partir de: {time}. Mantén esta página abierta y recibirás el tuyo automáticamente.",
  },
  earlyLot:
    "Podrás entrar en el sorteo a partir de: {time}. Mantén esta página abierta y participarás automáticamente. Llegar antes no da ventaja.",
  prequeue: {
    heading: "Ya estás en la fila",
    lead: "La fila aún no avanza. Tienes un lugar por orden de llegada. Mantén esta página abierta.",
  },
  prequeueLot: {
    heading: "Participas en el sorteo",
    lead: "Quienes lleguen antes del inicio recibirán su lugar por sorteo, así que llegar antes no da ventaja. Mantén esta página abierta.",
  },
  paused: {
    heading: "La fila está en pausa",
    lead: "En este momento no entra nadie. Tu lugar está a salvo; mantén esta página abierta.",
  },
  maintenance: { heading: "Volvemos enseguida", lead: "Estamos trabajando en esta página. Volverá a intentarlo sola." },
  full: {
    heading: "La fila está llena",
    lead: "Ha llegado más gente de la que cabe en la fila. Esta página volverá a intentarlo sola.",
  },
  storeDown: {
    heading: "Un momento, por favor",
    lead: "Ahora mismo no podemos consultar la fila. Si tienes un lugar, lo conservas. Esta página volverá a intentarlo sola.",
  },
  rateLimited: {
    heading: "Un poco demasiado rápido",
    lead: "No hace falta recargar: esta página volverá a intentarlo sola en un momento.",
  },
  addressLimit: {
    heading: "Muchas visitas desde tu red",
    lead: "Tu red ya ocupa todos los lugares que le corresponden. Esta página volverá a intentarlo sola hasta que quede uno libre.",
  },
  ended: {
    expired: { heading: "Tu visita ha terminado", lead: "Se acabó el tiempo. Puedes volver a ponerte en la fila." },
    completed: { heading: "Todo listo", lead: "Tu visita ha concluido. Gracias por venir." },
    revoked: {
      heading: "Tu visita fue interrumpida",
      lead: "La organización le ha puesto fin. Puedes volver a ponerte en la fila.",
    },
    left: {
      heading: "Has salido de la fila",
      lead: "Tu lugar ha pasado a la siguiente persona. Puedes volver a ponerte en la fila.",
    },
    closed: { heading: "La fila está cerrada", lead: "Por ahora no puede unirse nadie más. Gracias por tu interés." },
    lost: {
      heading: "No encontramos tu turno",
      lead: "Tu navegador ya no lo muestra. Permite las cookies de este sitio y vuelve a ponerte en la fila.",
    },
  },
  placeLabel: "Tu lugar en la fila",
  startLabel: "Empieza en",
  startsAt: "Inicio: {time}",
  next: "Ahora te toca a ti",
  ahead: {
    one: "{n} persona delante de ti",
    many: "{n} de personas delante de ti",
    other: "{n} personas delante de ti",
  },
  crowd: { one: "{n} persona", many: "{n} de personas", other: "{n} personas" },
  waitLabel: "Espera estimada",
  about: "alrededor de {time}",
  underAMinute: "menos de un minuto",
  overADay: "más de un día",
  stalled: "En este momento no sale nadie.",
  stalledUntil: "Como muy tarde: {time}, salvo que se prolonguen visitas.",
  updated: "Última actualización: {time}",
  notify: "Avísame cuando sea mi turno",
  notifyOn: "Te avisaremos cuando sea tu turno",
  offline: "Estás sin conexión. Tu lugar se conserva; seguiremos en cuanto vuelvas.",
  reconnecting: "La conexión es mala. Tu lugar se conserva; seguimos intentándolo.",
  goOn: "Continuar",
  again: "Volver a la fila",
  tryNow: "Intentar ahora",
  page: {
    crowdLabel: "En la fila",
    updatedNow: "Actualizado ahora mismo",
    messageLabel: "Mensaje de la organización",
    progressLabel: "Tu avance en la fila",
    notSent: "Lo que enviaste no llegó. Envíalo de nuevo cuando hayas entrado, por favor.",
    needsScript: "Este paso necesita JavaScript. Actívalo para este sitio y vuelve a cargar la página.",
    invites: {
      invite_invalid: "Tu invitación no es válida aquí. Tienes un lugar normal en la fila.",
      invite_expired: "Tu invitación ha caducado. Tienes un lugar normal en la fila.",
      invite_used: "Tu invitación ya se ha utilizado. Tienes un lugar normal en la fila.",
      invite_revoked: "Tu invitación fue retirada. Tienes un lugar normal en la fila.",
    },
    leave: "Salir de la fila",
    leaveAsk: "Tu lugar pasará a la siguiente persona.",
    leaveYes: "Sí, salir de la fila",
    reference: "Referencia",
    how: "Cómo funciona el orden",
    whyQuestion: "¿Por qué estoy aquí?",
    why: "Muchas personas quieren usar {name} al mismo tiempo. La fila hace que vaya rápido para quienes están dentro.",
    fairQuestion: "¿Es justo?",
    fair: {
      fifo: "Sí. Se entra estrictamente por orden de llegada; solo quienes tienen una invitación de la organización pueden pasar antes. Recargar o abrir más ventanas no cambia nada.",
      random:
        "Sí. Quienes llegan antes del inicio reciben su lugar por sorteo, así que no importa quién llega primero. Quienes llegan más tarde van detrás, por orden de llegada.",
      lottery:
        "Sí. Quienes llegan antes del inicio reciben su lugar por sorteo, y el sorteo puede comprobarse después. Quienes llegan más tarde van detrás, por orden de llegada.",
    },
    drawNumber: "Tu número en el sorteo",
    closeQuestion: "¿Puedo cerrar esta página?",
    close: "Tu lugar se guarda durante {time}. Vuelve con el mismo navegador y estarás donde estabas.",
  },
};
