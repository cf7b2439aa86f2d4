/** The most common passwords of twelve characters or more: an attacker tries them first. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 012345678901 098765432109 987654321098 123123123123 111222333444
  112233445566 123412341234 121212121212 101010101010 123454321234 147258369147 741852963741 159753159753 123321123321 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc zaq12wsxcde3 zaq1xsw2cde3 qazwsxedcrfv qazwsxedc123 qwertyuiop12
  qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopasdf qwertyuiopasdfgh qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789
  qwertyqwerty qwertyuiop!@# asdfghjkl123 asdfghjkl;'# asdfasdfasdf zxcvbnm12345 zxcvbnmasdfg 123qweasdzxc 123qwe123qwe qwe123qwe123 qweasdzxc123
  1234qwerasdf 1234qwerasdfzxcv q1w2e3r4t5y6 a1b2c3d4e5f6 a123456789012 abc123456789 abcd12345678 abcdef123456 abcdefghijkl abcdefghijklm
  abcdefghijklmnop aa1234567890 a1234567890b password1234 password12345 password123456 password1234567 passwordpassword password123!@#
  password!@#$ password@123 password@1234 p@ssw0rd1234 p@ssword1234 p@ssw0rd123! passw0rd1234 passw0rd12345 pa55word1234 mypassword12 mypassword123
  mypassword1234 thisismypassword changeme1234 changeme12345 changemenow1 letmein12345 letmein123456 letmeinplease letmein1letmein welcome12345
  welcome123456 welcome@1234 welcome2sluice admin1234567 admin12345678 administrator administrator1 administrator123 adminadminadmin rootrootroot
  superman1234 superadmin123 iloveyou1234 iloveyou12345 iloveyouforever iloveyousomuch iloveyoubaby1 lovelovelove loveyouforever ilovemyself1
  princess1234 princess12345 sunshine1234 sunshine12345 football1234 football12345 baseball1234 basketball12 monkey123456 dragon123456
  michael12345 jennifer1234 charlie12345 jordan123456 liverpool123 liverpoolfc1 manchester123 manchesterutd chelsea12345 arsenal12345 barcelona123
  realmadrid123 starwars1234 pokemon12345 minecraft123 minecraft1234 trustno1trustno1 whatever1234 computer1234 internet1234 samsung12345
  google123456 facebook1234 facebook12345 bitcoin12345 bitcoin123456 cryptocurrency ethereum1234 tothemoon123 satoshinakamoto hodlhodlhodl
  correcthorsebatterystaple correct horse battery staple summer202412 summer2024!! summer2025!! summer2026!! winter2024!! winter2025!! winter2026!!
  january123456 december1234 spring2025!! autumn2025!! company12345 secret123456 secretpassword topsecret123 supersecret1 supersecret123 test12345678
  testtesttest testing12345 testpassword testpassword1 temppassword temporary123 default12345 hello1234567 helloworld123 helloworld12 hellohello12
  money1234567 moneymoney12 blink182blink metallica123 godisgood123 jesuschrist1 jesusislord1 jesuslovesme blessed12345 freedom12345 america12345
  nothing12345 unknown12345 master123456 masterkey123 shadow123456 killer123456 fuckyou12345 fuckyou123456 fuckyoufuckyou asshole12345 000000000000
  0000000000000 111111111111 1111111111111 222222222222 555555555555 666666666666 777777777777 888888888888 999999999999 aaaaaaaaaaaa
  xxxxxxxxxxxx zzzzzzzzzzzz`
    .split(/(?<! horse| battery|correct)\s+(?!horse|battery|staple)/)
    .map((password) => password.trim()),
);
