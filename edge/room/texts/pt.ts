import type { RoomTexts } from "./room-texts.ts";

export const pt: RoomTexts = {
  checking: {
    heading: "Verificando o seu navegador",
    lead: "O seu navegador está resolvendo um pequeno cálculo que mantém os robôs de fora. Leva alguns segundos e depois você recebe o seu lugar automaticamente.",
  },
  notFound: {
    heading: "Página não encontrada",
    lead: "Não há nada neste endereço. Confira a escrita ou comece pela página inicial.",
  },
  leftInside: {
    heading: "Você saiu",
    lead: "A sua visita terminou e a próxima pessoa pode entrar. Você pode entrar na fila de novo.",
  },
  home: "Página inicial",
  otherSite: {
    heading: "Continue aqui, por favor",
    lead: "Você veio de outro site e seu navegador não enviou o seu lugar. Nada se perdeu do nosso lado: continue para seguir com o seu lugar ou a sua visita.",
  },
  banned: "O organizador a encerrou. Você poderá entrar na fila de novo em {time}.",
  waiting: {
    heading: "Você está na fila",
    lead: "Mantenha esta página aberta: você entra automaticamente quando chegar a sua vez.",
  },
  yourTurn: { heading: "Chegou a sua vez", lead: "Estamos levando você para dentro." },
  early: {
    heading: "Ainda não abriu",
    lead: "Os lugares na fila são distribuídos a partir de: {time}. Mantenha esta página aberta e você recebe o seu automaticamente.",
  },
  earlyLot:
    "Você pode entrar no sorteio a partir de: {time}. Mantenha esta página aberta e você participa automaticamente. Chegar primeiro não traz vantagem.",
  prequeue: {
    heading: "Você está na fila",
    lead: "A fila ainda não anda. Você tem um lugar, por ordem de chegada. Mantenha esta página aberta.",
  },
  prequeueLot: {
    heading: "Você está no sorteio",
    lead: "Quem chega antes da abertura recebe o lugar por sorteio; chegar primeiro não traz vantagem. Mantenha esta página aberta.",
  },
  paused: {
    heading: "A fila está em pausa",
    lead: "No momento ninguém está entrando. O seu lugar está garantido; mantenha esta página aberta.",
  },
  maintenance: { heading: "Voltamos já", lead: "Estamos trabalhando nesta página. Ela tenta de novo sozinha." },
  full: {
    heading: "A fila está cheia",
    lead: "Chegou mais gente do que cabe na fila. Esta página tenta de novo sozinha.",
  },
  storeDown: {
    heading: "Um momento, por favor",
    lead: "Não conseguimos consultar a fila agora. Se você tem um lugar, ele continua seu. Esta página tenta de novo sozinha.",
  },
  rateLimited: {
    heading: "Um pouco rápido demais",
    lead: "Não é preciso recarregar: esta página tenta de novo sozinha daqui a pouco.",
  },
  addressLimit: {
    heading: "Muitas visitas da sua rede",
    lead: "A sua rede já ocupa todos os lugares a que tem direito. Esta página tenta de novo sozinha até que um fique livre.",
  },
  ended: {
    expired: { heading: "A sua visita terminou", lead: "O tempo acabou. Você pode entrar na fila de novo." },
    completed: { heading: "Tudo pronto", lead: "A sua visita foi concluída. Obrigado por vir." },
    revoked: {
      heading: "A sua visita foi encerrada",
      lead: "A organização a encerrou. Você pode entrar na fila de novo.",
    },
    left: {
      heading: "Você saiu da fila",
      lead: "O seu lugar passou para a próxima pessoa. Você pode entrar na fila de novo.",
    },
    closed: {
      heading: "A fila está fechada",
      lead: "No momento ninguém mais pode entrar nela. Obrigado pelo interesse.",
    },
    lost: {
      heading: "Não encontramos a sua senha",
      lead: "O seu navegador não a apresenta mais. Permita cookies para este site e entre na fila de novo.",
    },
  },
  placeLabel: "O seu lugar na fila",
  startLabel: "Começa em",
  startsAt: "Início: {time}",
  next: "Você é o próximo",
  ahead: { one: "{n} pessoa à sua frente", many: "{n} de pessoas à sua frente", other: "{n} pessoas à sua frente" },
  crowd: { one: "{n} pessoa", many: "{n} de pessoas", other: "{n} pessoas" },
  waitLabel: "Espera estimada",
  about: "cerca de {time}",
  underAMinute: "menos de um minuto",
  overADay: "mais de um dia",
  stalled: "No momento ninguém está saindo.",
  stalledUntil: "No máximo: {time}, salvo visitas prolongadas.",
  updated: "Última atualização: {time}",
  notify: "Avise-me quando for a minha vez",
  notifyOn: "Avisaremos quando for a sua vez",
  offline: "Você está sem conexão. O seu lugar está guardado; continuamos assim que você voltar.",
  reconnecting: "A conexão está ruim. O seu lugar está guardado; continuamos tentando.",
  goOn: "Continuar",
  again: "Entrar na fila de novo",
  tryNow: "Tentar agora",
  page: {
    crowdLabel: "Na fila",
    updatedNow: "Atualizado agora mesmo",
    messageLabel: "Mensagem da organização",
    progressLabel: "O seu avanço na fila",
    notSent: "O que você enviou não chegou. Envie de novo quando tiver entrado, por favor.",
    needsScript: "Esta etapa precisa de JavaScript. Ative-o para este site e recarregue a página.",
    invites: {
      invite_invalid: "O seu convite não é válido aqui. Você tem um lugar normal na fila.",
      invite_expired: "O seu convite expirou. Você tem um lugar normal na fila.",
      invite_used: "O seu convite já foi usado. Você tem um lugar normal na fila.",
      invite_revoked: "O seu convite foi retirado. Você tem um lugar normal na fila.",
    },
    leave: "Sair da fila",
    leaveAsk: "O seu lugar passará para a próxima pessoa.",
    leaveYes: "Sim, sair da fila",
    reference: "Referência",
    how: "Como funciona a ordem",
    whyQuestion: "Por que estou aqui?",
    why: "Muitas pessoas querem usar {name} ao mesmo tempo. A fila mantém tudo rápido para quem está dentro.",
    fairQuestion: "É justo?",
    fair: {
      fifo: "Sim. A entrada segue rigorosamente a ordem de chegada; só quem tem um convite da organização pode passar à frente. Recarregar ou abrir mais janelas não muda nada.",
      random:
        "Sim. Quem chega antes da abertura recebe o lugar por sorteio, por isso não importa quem chega primeiro. Quem chega mais tarde fica atrás, por ordem de chegada.",
      lottery:
        "Sim. Quem chega antes da abertura recebe o lugar por sorteio, e o sorteio pode ser conferido depois. Quem chega mais tarde fica atrás, por ordem de chegada.",
    },
    drawNumber: "O seu número no sorteio",
    closeQuestion: "Posso fechar esta página?",
    close: "O seu lugar fica guardado por {time}. Volte com o mesmo navegador e você estará onde estava.",
  },
};
