import type { RoomTexts } from "./room-texts.ts";

export const id: RoomTexts = {
  checking: {
    heading: "Memeriksa peramban Anda",
    lead: "Peramban Anda sedang menyelesaikan hitungan kecil yang menahan robot. Ini hanya beberapa detik, lalu Anda otomatis mendapat tempat.",
  },
  notFound: {
    heading: "Halaman tidak ditemukan",
    lead: "Tidak ada apa-apa di alamat ini. Periksa penulisannya, atau mulai dari halaman depan.",
  },
  leftInside: {
    heading: "Anda telah keluar",
    lead: "Kunjungan Anda selesai dan orang berikutnya dapat masuk. Silakan mengantre lagi.",
  },
  home: "Halaman depan",
  otherSite: {
    heading: "Silakan lanjutkan di sini",
    lead: "Anda datang dari situs lain, dan peramban Anda tidak mengirimkan tempat Anda. Tidak ada yang hilang di pihak kami: lanjutkan untuk meneruskan tempat atau kunjungan Anda.",
  },
  banned: "Penyelenggara telah mengakhirinya. Anda dapat mengantre lagi dalam {time}.",
  waiting: {
    heading: "Anda dalam antrean",
    lead: "Tetaplah di halaman ini. Begitu giliran Anda tiba, Anda masuk secara otomatis.",
  },
  yourTurn: { heading: "Sekarang giliran Anda", lead: "Kami sedang mengantar Anda masuk." },
  early: {
    heading: "Belum dibuka",
    lead: "Tempat dalam antrean dibagikan mulai {time}. Tetaplah di halaman ini; Anda mendapatkannya secara otomatis.",
  },
  earlyLot:
    "Anda dapat mengikuti undian mulai {time}. Tetaplah di halaman ini; Anda ikut secara otomatis. Datang lebih dulu tidak memberi keuntungan.",
  prequeue: {
    heading: "Anda dalam antrean",
    lead: "Antrean belum mulai bergerak. Anda sudah punya tempat menurut urutan kedatangan. Tetaplah di halaman ini.",
  },
  prequeueLot: {
    heading: "Anda ikut undian",
    lead: "Semua yang datang sebelum dimulai mendapat tempat melalui undian, jadi datang lebih dulu tidak memberi keuntungan. Tetaplah di halaman ini.",
  },
  paused: {
    heading: "Antrean sedang dijeda",
    lead: "Saat ini belum ada yang dipersilakan masuk. Tempat Anda aman; tetaplah di halaman ini.",
  },
  maintenance: {
    heading: "Segera kembali",
    lead: "Halaman ini sedang kami perbaiki. Halaman ini akan mencoba lagi sendiri.",
  },
  full: {
    heading: "Antrean penuh",
    lead: "Pengunjung yang datang melebihi daya tampung antrean. Halaman ini akan mencoba lagi sendiri.",
  },
  storeDown: {
    heading: "Mohon tunggu sebentar",
    lead: "Saat ini kami tidak dapat memeriksa antrean. Jika Anda sudah punya tempat, tempat itu tetap milik Anda. Halaman ini akan mencoba lagi sendiri.",
  },
  rateLimited: {
    heading: "Sedikit terlalu cepat",
    lead: "Tidak perlu memuat ulang: halaman ini akan mencoba lagi sendiri sebentar lagi.",
  },
  addressLimit: {
    heading: "Banyak pengunjung dari jaringan Anda",
    lead: "Jaringan Anda sudah memakai semua tempat yang diperbolehkan. Halaman ini akan mencoba lagi sendiri sampai ada yang kosong.",
  },
  ended: {
    expired: { heading: "Kunjungan Anda berakhir", lead: "Waktunya sudah habis. Silakan mengantre lagi." },
    completed: { heading: "Selesai", lead: "Kunjungan Anda sudah selesai. Terima kasih telah datang." },
    revoked: {
      heading: "Kunjungan Anda dihentikan",
      lead: "Penyelenggara telah menghentikannya. Anda dapat mengantre lagi.",
    },
    left: {
      heading: "Anda telah keluar dari antrean",
      lead: "Tempat Anda sudah beralih ke orang berikutnya. Silakan mengantre lagi.",
    },
    closed: {
      heading: "Antrean ditutup",
      lead: "Saat ini tidak ada lagi yang dapat bergabung. Terima kasih atas minat Anda.",
    },
    lost: {
      heading: "Tiket Anda tidak ditemukan",
      lead: "Peramban Anda tidak lagi menunjukkannya. Izinkan cookie untuk situs ini, lalu mengantrelah lagi.",
    },
  },
  placeLabel: "Tempat Anda dalam antrean",
  startLabel: "Dimulai dalam",
  startsAt: "Mulai: {time}",
  next: "Anda berikutnya",
  ahead: { other: "{n} orang di depan Anda" },
  crowd: { other: "{n} orang" },
  waitLabel: "Perkiraan waktu tunggu",
  about: "sekitar {time}",
  underAMinute: "kurang dari satu menit",
  overADay: "lebih dari satu hari",
  stalled: "Saat ini belum ada yang keluar.",
  stalledUntil: "Paling lambat: {time}, kecuali ada kunjungan yang diperpanjang.",
  updated: "Terakhir diperbarui: {time}",
  notify: "Beri tahu saya saat giliran saya tiba",
  notifyOn: "Kami akan memberi tahu saat giliran Anda tiba",
  offline: "Anda sedang luring. Tempat Anda tetap disimpan; kami lanjutkan begitu Anda kembali.",
  reconnecting: "Koneksi kurang baik. Tempat Anda tetap disimpan; kami terus mencoba.",
  goOn: "Lanjutkan",
  again: "Antre lagi",
  tryNow: "Coba sekarang",
  page: {
    crowdLabel: "Dalam antrean",
    updatedNow: "Baru saja diperbarui",
    messageLabel: "Dari penyelenggara",
    progressLabel: "Kemajuan Anda dalam antrean",
    notSent: "Yang Anda kirim belum terproses. Mohon kirim lagi setelah Anda masuk.",
    needsScript: "Langkah ini memerlukan JavaScript. Aktifkan untuk situs ini, lalu muat ulang halaman.",
    invites: {
      invite_invalid: "Undangan Anda tidak berlaku di sini. Anda mendapat tempat biasa dalam antrean.",
      invite_expired: "Undangan Anda sudah kedaluwarsa. Anda mendapat tempat biasa dalam antrean.",
      invite_used: "Undangan Anda sudah dipakai. Anda mendapat tempat biasa dalam antrean.",
      invite_revoked: "Undangan Anda telah ditarik. Anda mendapat tempat biasa dalam antrean.",
    },
    leave: "Keluar dari antrean",
    leaveAsk: "Tempat Anda akan beralih ke orang berikutnya.",
    leaveYes: "Ya, keluar dari antrean",
    reference: "Referensi",
    how: "Bagaimana urutannya ditentukan",
    whyQuestion: "Mengapa saya di sini?",
    why: "Banyak orang ingin memakai {name} pada saat yang sama. Antrean menjaga agar tetap cepat bagi yang sudah di dalam.",
    fairQuestion: "Apakah adil?",
    fair: {
      fifo: "Ya. Orang masuk persis menurut urutan kedatangan; hanya tamu dengan undangan dari penyelenggara yang boleh didahulukan. Memuat ulang atau membuka jendela lain tidak mengubah apa pun.",
      random:
        "Ya. Semua yang datang sebelum dimulai mendapat tempat melalui undian, jadi tidak penting siapa yang datang lebih dulu. Yang datang kemudian berdiri di belakang, menurut urutan kedatangan.",
      lottery:
        "Ya. Semua yang datang sebelum dimulai mendapat tempat melalui undian, dan undian itu dapat diperiksa sesudahnya. Yang datang kemudian berdiri di belakang, menurut urutan kedatangan.",
    },
    drawNumber: "Nomor Anda dalam undian",
    closeQuestion: "Bolehkah saya menutup halaman ini?",
    close: "Tempat Anda disimpan selama {time}. Kembalilah dengan peramban yang sama dan Anda tetap di tempat semula.",
  },
};
