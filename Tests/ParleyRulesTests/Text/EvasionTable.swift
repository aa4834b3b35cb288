/// Words, and ways to write them so that a plain list does not find them. Each is found with `normalize: all`.
enum EvasionTable {
    static let rows: [(word: String, texts: [String])] = [
        (
            "casino",
            [
                "𝐜𝐚𝐬𝐢𝐧𝐨", "𝒄𝒂𝒔𝒊𝒏𝒐", "𝓬𝓪𝓼𝓲𝓷𝓸", "𝔠𝔞𝔰𝔦𝔫𝔬", "𝕔𝕒𝕤𝕚𝕟𝕠", "𝖈𝖆𝖘𝖎𝖓𝖔", "𝖼𝖺𝗌𝗂𝗇𝗈", "𝗰𝗮𝘀𝗶𝗻𝗼", "𝘤𝘢𝘴𝘪𝘯𝘰", "𝙘𝙖𝙨𝙞𝙣𝙤", "𝚌𝚊𝚜𝚒𝚗𝚘", "ｃａｓｉｎｏ", "ⓒⓐⓢⓘⓝⓞ",
                "🅒🅐🅢🅘🅝🅞", "🄲🄰🅂🄸🄽🄾", "🅲🅰🆂🅸🅽🅾", "⒞⒜⒮⒤⒩⒪", "𝑐𝑎𝑠𝑖𝑛𝑜", "𝒸𝒶𝓈𝒾𝓃ℴ", "win 𝐜𝐚𝐬𝐢𝐧𝐨 now", "win ⓒⓐⓢⓘⓝⓞ now", "win 🄲🄰🅂🄸🄽🄾 now", "win ｃａｓｉｎｏ now",
                "саѕіnо", "cαsιηο", "c451n0", "c@$!no", "ᴄᴀsɪɴᴏ", "ᶜᵃˢⁱⁿᵒ", "ᏟᎪᏚᎥno", "ꓚꓮꓢiꓠꓳ", "çášíñó",
                "c\u{327}a\u{301}s\u{30C}i\u{301}n\u{303}o\u{301}", "c\u{200B}a\u{200B}s\u{200B}i\u{200B}n\u{200B}o",
                "c\u{200C}a\u{200C}s\u{200C}i\u{200C}n\u{200C}o", "c\u{200D}a\u{200D}s\u{200D}i\u{200D}n\u{200D}o",
                "c\u{2060}a\u{2060}s\u{2060}i\u{2060}n\u{2060}o", "c\u{FEFF}a\u{FEFF}s\u{FEFF}i\u{FEFF}n\u{FEFF}o",
                "c\u{AD}a\u{AD}s\u{AD}i\u{AD}n\u{AD}o", "c\u{34F}a\u{34F}s\u{34F}i\u{34F}n\u{34F}o", "c\u{FE0F}a\u{FE0F}s\u{FE0F}i\u{FE0F}n\u{FE0F}o",
                "c\u{E0061}a\u{E0061}s\u{E0061}i\u{E0061}n\u{E0061}o", "c\u{2063}a\u{2063}s\u{2063}i\u{2063}n\u{2063}o",
                "c\u{1D173}a\u{1D173}s\u{1D173}i\u{1D173}n\u{1D173}o", "c\u{3164}a\u{3164}s\u{3164}i\u{3164}n\u{3164}o", "c a s i n o", "c.a.s.i.n.o",
                "c-a-s-i-n-o", "c_a_s_i_n_o", "c*a*s*i*n*o", "c/a/s/i/n/o", "c·a·s·i·n·o", "c•a•s•i•n•o", "c~a~s~i~n~o", "c,a,s,i,n,o",
                "c\u{A0}a\u{A0}s\u{A0}i\u{A0}n\u{A0}o", "c\u{2003}a\u{2003}s\u{2003}i\u{2003}n\u{2003}o",
                "c\u{3000}a\u{3000}s\u{3000}i\u{3000}n\u{3000}o", "c–a–s–i–n–o", "c . a . s . i . n . o", "c--a--s--i--n--o", "c. a. s. i. n. o",
                "c_ a_ s_ i_ n_ o", "c__a__s__i__n__o", "CASINO", "Casino", "cAsInO", "ccccaaaassssiiiinnnnoooo", "caaaaasino", "casinooooooo",
                "casino2", "casino777", "1casino", "casino24.", "CASINO365", "_casino_", "__casino__", "*casino*", "~casino~", "`casino`",
                "\"casino\"", "“casino”", "«casino»", "(casino)", "[casino]", "🎰casino🎰", "¡casino!", "…casino…", "—casino—", "#casino#",
                "!1 casino!", "!- casino!", "字casino字", "c\u{336}a\u{336}s\u{336}i\u{336}n\u{336}o\u{336}",
                "c\u{351}\u{489}\u{317}a\u{351}\u{489}\u{317}s\u{351}\u{489}\u{317}i\u{351}\u{489}\u{317}n\u{351}\u{489}\u{317}o\u{351}\u{489}\u{317}",
                "c\u{20DD}a\u{20DD}s\u{20DD}i\u{20DD}n\u{20DD}o\u{20DD}", "c\u{332}a\u{332}s\u{332}i\u{332}n\u{332}o\u{332}",
                "\u{1F1E8} \u{1F1E6} \u{1F1F8} \u{1F1EE} \u{1F1F3} \u{1F1F4}",
                "\u{1F1E8}\u{200B}\u{1F1E6}\u{200B}\u{1F1F8}\u{200B}\u{1F1EE}\u{200B}\u{1F1F3}\u{200B}\u{1F1F4}", "cas*ino", "cas~ino", "*cas*ino",
                "_cas_*ino*", "!1 cas!ino",
            ]
        ),
        (
            "viagra",
            [
                "𝐯𝐢𝐚𝐠𝐫𝐚", "𝒗𝒊𝒂𝒈𝒓𝒂", "𝓿𝓲𝓪𝓰𝓻𝓪", "𝔳𝔦𝔞𝔤𝔯𝔞", "𝕧𝕚𝕒𝕘𝕣𝕒", "𝖛𝖎𝖆𝖌𝖗𝖆", "𝗏𝗂𝖺𝗀𝗋𝖺", "𝘃𝗶𝗮𝗴𝗿𝗮", "𝘷𝘪𝘢𝘨𝘳𝘢", "𝙫𝙞𝙖𝙜𝙧𝙖", "𝚟𝚒𝚊𝚐𝚛𝚊", "ｖｉａｇｒａ", "ⓥⓘⓐⓖⓡⓐ",
                "🅥🅘🅐🅖🅡🅐", "🅅🄸🄰🄶🅁🄰", "🆅🅸🅰🅶🆁🅰", "⒱⒤⒜⒢⒭⒜", "𝑣𝑖𝑎𝑔𝑟𝑎", "𝓋𝒾𝒶ℊ𝓇𝒶", "win 𝐯𝐢𝐚𝐠𝐫𝐚 now", "win ⓥⓘⓐⓖⓡⓐ now", "win 🅅🄸🄰🄶🅁🄰 now", "win ｖｉａｇｒａ now",
                "vіаgrа", "νιαgrα", "v14gr4", "v!@gr@", "ᴠɪᴀɢʀᴀ", "ᵛⁱᵃᵍʳᵃ", "ᏙᎥᎪᏀᏒᎪ", "ꓦiꓮꓖꓣꓮ", "víágrá", "vi\u{301}a\u{301}gra\u{301}",
                "v\u{200B}i\u{200B}a\u{200B}g\u{200B}r\u{200B}a", "v\u{200C}i\u{200C}a\u{200C}g\u{200C}r\u{200C}a",
                "v\u{200D}i\u{200D}a\u{200D}g\u{200D}r\u{200D}a", "v\u{2060}i\u{2060}a\u{2060}g\u{2060}r\u{2060}a",
                "v\u{FEFF}i\u{FEFF}a\u{FEFF}g\u{FEFF}r\u{FEFF}a", "v\u{AD}i\u{AD}a\u{AD}g\u{AD}r\u{AD}a", "v\u{34F}i\u{34F}a\u{34F}g\u{34F}r\u{34F}a",
                "v\u{FE0F}i\u{FE0F}a\u{FE0F}g\u{FE0F}r\u{FE0F}a", "v\u{E0061}i\u{E0061}a\u{E0061}g\u{E0061}r\u{E0061}a",
                "v\u{2063}i\u{2063}a\u{2063}g\u{2063}r\u{2063}a", "v\u{1D173}i\u{1D173}a\u{1D173}g\u{1D173}r\u{1D173}a",
                "v\u{3164}i\u{3164}a\u{3164}g\u{3164}r\u{3164}a", "v i a g r a", "v.i.a.g.r.a", "v-i-a-g-r-a", "v_i_a_g_r_a", "v*i*a*g*r*a",
                "v/i/a/g/r/a", "v·i·a·g·r·a", "v•i•a•g•r•a", "v~i~a~g~r~a", "v,i,a,g,r,a", "v\u{A0}i\u{A0}a\u{A0}g\u{A0}r\u{A0}a",
                "v\u{2003}i\u{2003}a\u{2003}g\u{2003}r\u{2003}a", "v\u{3000}i\u{3000}a\u{3000}g\u{3000}r\u{3000}a", "v–i–a–g–r–a",
                "v . i . a . g . r . a", "v--i--a--g--r--a", "v. i. a. g. r. a", "v_ i_ a_ g_ r_ a", "v__i__a__g__r__a", "VIAGRA", "Viagra", "vIaGrA",
                "vvvviiiiaaaaggggrrrraaaa", "viiiiiagra", "viagraaaaaaa", "viagra2", "viagra777", "1viagra", "viagra24.", "VIAGRA365", "_viagra_",
                "__viagra__", "*viagra*", "~viagra~", "`viagra`", "\"viagra\"", "“viagra”", "«viagra»", "(viagra)", "[viagra]", "🎰viagra🎰",
                "¡viagra!", "…viagra…", "—viagra—", "#viagra#", "!1 viagra!", "!- viagra!", "字viagra字",
                "v\u{336}i\u{336}a\u{336}g\u{336}r\u{336}a\u{336}",
                "v\u{351}\u{489}\u{317}i\u{351}\u{489}\u{317}a\u{351}\u{489}\u{317}g\u{351}\u{489}\u{317}r\u{351}\u{489}\u{317}a\u{351}\u{489}\u{317}",
                "v\u{20DD}i\u{20DD}a\u{20DD}g\u{20DD}r\u{20DD}a\u{20DD}", "v\u{332}i\u{332}a\u{332}g\u{332}r\u{332}a\u{332}",
                "\u{1F1FB} \u{1F1EE} \u{1F1E6} \u{1F1EC} \u{1F1F7} \u{1F1E6}",
                "\u{1F1FB}\u{200B}\u{1F1EE}\u{200B}\u{1F1E6}\u{200B}\u{1F1EC}\u{200B}\u{1F1F7}\u{200B}\u{1F1E6}", "via*gra", "via~gra", "*via*gra",
                "_via_*gra*", "!1 via!gra",
            ]
        ),
        (
            "bitcoin",
            [
                "𝐛𝐢𝐭𝐜𝐨𝐢𝐧", "𝒃𝒊𝒕𝒄𝒐𝒊𝒏", "𝓫𝓲𝓽𝓬𝓸𝓲𝓷", "𝔟𝔦𝔱𝔠𝔬𝔦𝔫", "𝕓𝕚𝕥𝕔𝕠𝕚𝕟", "𝖇𝖎𝖙𝖈𝖔𝖎𝖓", "𝖻𝗂𝗍𝖼𝗈𝗂𝗇", "𝗯𝗶𝘁𝗰𝗼𝗶𝗻", "𝘣𝘪𝘵𝘤𝘰𝘪𝘯", "𝙗𝙞𝙩𝙘𝙤𝙞𝙣", "𝚋𝚒𝚝𝚌𝚘𝚒𝚗", "ｂｉｔｃｏｉｎ",
                "ⓑⓘⓣⓒⓞⓘⓝ", "🅑🅘🅣🅒🅞🅘🅝", "🄱🄸🅃🄲🄾🄸🄽", "🅱🅸🆃🅲🅾🅸🅽", "⒝⒤⒯⒞⒪⒤⒩", "𝑏𝑖𝑡𝑐𝑜𝑖𝑛", "𝒷𝒾𝓉𝒸ℴ𝒾𝓃", "win 𝐛𝐢𝐭𝐜𝐨𝐢𝐧 now", "win ⓑⓘⓣⓒⓞⓘⓝ now", "win 🄱🄸🅃🄲🄾🄸🄽 now",
                "win ｂｉｔｃｏｉｎ now", "bіtсоіn", "bιτcοιη", "b17c01n", "b!tco!n", "ʙɪᴛᴄᴏɪɴ", "ᵇⁱᵗᶜᵒⁱⁿ", "bᎥᎢᏟoᎥn", "ꓐiꓔꓚꓳiꓠ", "bítçóíñ",
                "bi\u{301}tc\u{327}o\u{301}i\u{301}n\u{303}", "b\u{200B}i\u{200B}t\u{200B}c\u{200B}o\u{200B}i\u{200B}n",
                "b\u{200C}i\u{200C}t\u{200C}c\u{200C}o\u{200C}i\u{200C}n", "b\u{200D}i\u{200D}t\u{200D}c\u{200D}o\u{200D}i\u{200D}n",
                "b\u{2060}i\u{2060}t\u{2060}c\u{2060}o\u{2060}i\u{2060}n", "b\u{FEFF}i\u{FEFF}t\u{FEFF}c\u{FEFF}o\u{FEFF}i\u{FEFF}n",
                "b\u{AD}i\u{AD}t\u{AD}c\u{AD}o\u{AD}i\u{AD}n", "b\u{34F}i\u{34F}t\u{34F}c\u{34F}o\u{34F}i\u{34F}n",
                "b\u{FE0F}i\u{FE0F}t\u{FE0F}c\u{FE0F}o\u{FE0F}i\u{FE0F}n", "b\u{E0061}i\u{E0061}t\u{E0061}c\u{E0061}o\u{E0061}i\u{E0061}n",
                "b\u{2063}i\u{2063}t\u{2063}c\u{2063}o\u{2063}i\u{2063}n", "b\u{1D173}i\u{1D173}t\u{1D173}c\u{1D173}o\u{1D173}i\u{1D173}n",
                "b\u{3164}i\u{3164}t\u{3164}c\u{3164}o\u{3164}i\u{3164}n", "b i t c o i n", "b.i.t.c.o.i.n", "b-i-t-c-o-i-n", "b_i_t_c_o_i_n",
                "b*i*t*c*o*i*n", "b/i/t/c/o/i/n", "b·i·t·c·o·i·n", "b•i•t•c•o•i•n", "b~i~t~c~o~i~n", "b,i,t,c,o,i,n",
                "b\u{A0}i\u{A0}t\u{A0}c\u{A0}o\u{A0}i\u{A0}n", "b\u{2003}i\u{2003}t\u{2003}c\u{2003}o\u{2003}i\u{2003}n",
                "b\u{3000}i\u{3000}t\u{3000}c\u{3000}o\u{3000}i\u{3000}n", "b–i–t–c–o–i–n", "b . i . t . c . o . i . n", "b--i--t--c--o--i--n",
                "b. i. t. c. o. i. n", "b_ i_ t_ c_ o_ i_ n", "b__i__t__c__o__i__n", "BITCOIN", "Bitcoin", "bItCoIn", "bbbbiiiittttccccooooiiiinnnn",
                "biiiiitcoin", "bitcoinnnnnnn", "bitcoin2", "bitcoin777", "1bitcoin", "bitcoin24.", "BITCOIN365", "_bitcoin_", "__bitcoin__",
                "*bitcoin*", "~bitcoin~", "`bitcoin`", "\"bitcoin\"", "“bitcoin”", "«bitcoin»", "(bitcoin)", "[bitcoin]", "🎰bitcoin🎰", "¡bitcoin!",
                "…bitcoin…", "—bitcoin—", "#bitcoin#", "!1 bitcoin!", "!- bitcoin!", "字bitcoin字",
                "b\u{336}i\u{336}t\u{336}c\u{336}o\u{336}i\u{336}n\u{336}",
                "b\u{351}\u{489}\u{317}i\u{351}\u{489}\u{317}t\u{351}\u{489}\u{317}c\u{351}\u{489}\u{317}o\u{351}\u{489}\u{317}i\u{351}\u{489}\u{317}n\u{351}\u{489}\u{317}",
                "b\u{20DD}i\u{20DD}t\u{20DD}c\u{20DD}o\u{20DD}i\u{20DD}n\u{20DD}", "b\u{332}i\u{332}t\u{332}c\u{332}o\u{332}i\u{332}n\u{332}",
                "\u{1F1E7} \u{1F1EE} \u{1F1F9} \u{1F1E8} \u{1F1F4} \u{1F1EE} \u{1F1F3}",
                "\u{1F1E7}\u{200B}\u{1F1EE}\u{200B}\u{1F1F9}\u{200B}\u{1F1E8}\u{200B}\u{1F1F4}\u{200B}\u{1F1EE}\u{200B}\u{1F1F3}", "bit*coin",
                "bit~coin", "*bit*coin", "_bit_*coin*", "!1 bit!coin",
            ]
        ),
        (
            "idiot",
            [
                "𝐢𝐝𝐢𝐨𝐭", "𝒊𝒅𝒊𝒐𝒕", "𝓲𝓭𝓲𝓸𝓽", "𝔦𝔡𝔦𝔬𝔱", "𝕚𝕕𝕚𝕠𝕥", "𝖎𝖉𝖎𝖔𝖙", "𝗂𝖽𝗂𝗈𝗍", "𝗶𝗱𝗶𝗼𝘁", "𝘪𝘥𝘪𝘰𝘵", "𝙞𝙙𝙞𝙤𝙩", "𝚒𝚍𝚒𝚘𝚝", "ｉｄｉｏｔ", "ⓘⓓⓘⓞⓣ", "🅘🅓🅘🅞🅣", "🄸🄳🄸🄾🅃",
                "🅸🅳🅸🅾🆃", "⒤⒟⒤⒪⒯", "𝑖𝑑𝑖𝑜𝑡", "𝒾𝒹𝒾ℴ𝓉", "win 𝐢𝐝𝐢𝐨𝐭 now", "win ⓘⓓⓘⓞⓣ now", "win 🄸🄳🄸🄾🅃 now", "win ｉｄｉｏｔ now", "іdіоt", "ιdιοτ", "1d107",
                "!d!ot", "ɪᴅɪᴏᴛ", "ⁱᵈⁱᵒᵗ", "ᎥᎠᎥoᎢ", "iꓓiꓳꓔ", "ídíót", "i\u{301}di\u{301}o\u{301}t", "i\u{200B}d\u{200B}i\u{200B}o\u{200B}t",
                "i\u{200C}d\u{200C}i\u{200C}o\u{200C}t", "i\u{200D}d\u{200D}i\u{200D}o\u{200D}t", "i\u{2060}d\u{2060}i\u{2060}o\u{2060}t",
                "i\u{FEFF}d\u{FEFF}i\u{FEFF}o\u{FEFF}t", "i\u{AD}d\u{AD}i\u{AD}o\u{AD}t", "i\u{34F}d\u{34F}i\u{34F}o\u{34F}t",
                "i\u{FE0F}d\u{FE0F}i\u{FE0F}o\u{FE0F}t", "i\u{E0061}d\u{E0061}i\u{E0061}o\u{E0061}t", "i\u{2063}d\u{2063}i\u{2063}o\u{2063}t",
                "i\u{1D173}d\u{1D173}i\u{1D173}o\u{1D173}t", "i\u{3164}d\u{3164}i\u{3164}o\u{3164}t", "i d i o t", "i.d.i.o.t", "i-d-i-o-t",
                "i_d_i_o_t", "i*d*i*o*t", "i/d/i/o/t", "i·d·i·o·t", "i•d•i•o•t", "i~d~i~o~t", "i,d,i,o,t", "i\u{A0}d\u{A0}i\u{A0}o\u{A0}t",
                "i\u{2003}d\u{2003}i\u{2003}o\u{2003}t", "i\u{3000}d\u{3000}i\u{3000}o\u{3000}t", "i–d–i–o–t", "i . d . i . o . t", "i--d--i--o--t",
                "i. d. i. o. t", "i_ d_ i_ o_ t", "i__d__i__o__t", "IDIOT", "Idiot", "iDiOt", "iiiiddddiiiiooootttt", "idddddiot", "idiottttttt",
                "idiot2", "idiot777", "1idiot", "idiot24.", "IDIOT365", "_idiot_", "__idiot__", "*idiot*", "~idiot~", "`idiot`", "\"idiot\"",
                "“idiot”", "«idiot»", "(idiot)", "[idiot]", "🎰idiot🎰", "¡idiot!", "…idiot…", "—idiot—", "#idiot#", "!1 idiot!", "!- idiot!",
                "字idiot字", "i\u{336}d\u{336}i\u{336}o\u{336}t\u{336}",
                "i\u{351}\u{489}\u{317}d\u{351}\u{489}\u{317}i\u{351}\u{489}\u{317}o\u{351}\u{489}\u{317}t\u{351}\u{489}\u{317}",
                "i\u{20DD}d\u{20DD}i\u{20DD}o\u{20DD}t\u{20DD}", "i\u{332}d\u{332}i\u{332}o\u{332}t\u{332}",
                "\u{1F1EE} \u{1F1E9} \u{1F1EE} \u{1F1F4} \u{1F1F9}", "\u{1F1EE}\u{200B}\u{1F1E9}\u{200B}\u{1F1EE}\u{200B}\u{1F1F4}\u{200B}\u{1F1F9}",
                "id*iot", "id~iot", "*id*iot", "_id_*iot*", "!1 id!iot",
            ]
        ),
        (
            "poker",
            [
                "𝐩𝐨𝐤𝐞𝐫", "𝒑𝒐𝒌𝒆𝒓", "𝓹𝓸𝓴𝓮𝓻", "𝔭𝔬𝔨𝔢𝔯", "𝕡𝕠𝕜𝕖𝕣", "𝖕𝖔𝖐𝖊𝖗", "𝗉𝗈𝗄𝖾𝗋", "𝗽𝗼𝗸𝗲𝗿", "𝘱𝘰𝘬𝘦𝘳", "𝙥𝙤𝙠𝙚𝙧", "𝚙𝚘𝚔𝚎𝚛", "ｐｏｋｅｒ", "ⓟⓞⓚⓔⓡ", "🅟🅞🅚🅔🅡", "🄿🄾🄺🄴🅁",
                "🅿🅾🅺🅴🆁", "⒫⒪⒦⒠⒭", "𝑝𝑜𝑘𝑒𝑟", "𝓅ℴ𝓀ℯ𝓇", "win 𝐩𝐨𝐤𝐞𝐫 now", "win ⓟⓞⓚⓔⓡ now", "win 🄿🄾🄺🄴🅁 now", "win ｐｏｋｅｒ now", "роkеr", "ροker", "p0k3r",
                "poker", "ᴘᴏᴋᴇʀ", "ᵖᵒᵏᵉʳ", "ᏢoᏦᎬᏒ", "ꓑꓳꓗꓰꓣ", "pókér", "po\u{301}ke\u{301}r", "p\u{200B}o\u{200B}k\u{200B}e\u{200B}r",
                "p\u{200C}o\u{200C}k\u{200C}e\u{200C}r", "p\u{200D}o\u{200D}k\u{200D}e\u{200D}r", "p\u{2060}o\u{2060}k\u{2060}e\u{2060}r",
                "p\u{FEFF}o\u{FEFF}k\u{FEFF}e\u{FEFF}r", "p\u{AD}o\u{AD}k\u{AD}e\u{AD}r", "p\u{34F}o\u{34F}k\u{34F}e\u{34F}r",
                "p\u{FE0F}o\u{FE0F}k\u{FE0F}e\u{FE0F}r", "p\u{E0061}o\u{E0061}k\u{E0061}e\u{E0061}r", "p\u{2063}o\u{2063}k\u{2063}e\u{2063}r",
                "p\u{1D173}o\u{1D173}k\u{1D173}e\u{1D173}r", "p\u{3164}o\u{3164}k\u{3164}e\u{3164}r", "p o k e r", "p.o.k.e.r", "p-o-k-e-r",
                "p_o_k_e_r", "p*o*k*e*r", "p/o/k/e/r", "p·o·k·e·r", "p•o•k•e•r", "p~o~k~e~r", "p,o,k,e,r", "p\u{A0}o\u{A0}k\u{A0}e\u{A0}r",
                "p\u{2003}o\u{2003}k\u{2003}e\u{2003}r", "p\u{3000}o\u{3000}k\u{3000}e\u{3000}r", "p–o–k–e–r", "p . o . k . e . r", "p--o--k--e--r",
                "p. o. k. e. r", "p_ o_ k_ e_ r", "p__o__k__e__r", "POKER", "Poker", "pOkEr", "ppppooookkkkeeeerrrr", "poooooker", "pokerrrrrrr",
                "poker2", "poker777", "1poker", "poker24.", "POKER365", "_poker_", "__poker__", "*poker*", "~poker~", "`poker`", "\"poker\"",
                "“poker”", "«poker»", "(poker)", "[poker]", "🎰poker🎰", "¡poker!", "…poker…", "—poker—", "#poker#", "!1 poker!", "!- poker!",
                "字poker字", "p\u{336}o\u{336}k\u{336}e\u{336}r\u{336}",
                "p\u{351}\u{489}\u{317}o\u{351}\u{489}\u{317}k\u{351}\u{489}\u{317}e\u{351}\u{489}\u{317}r\u{351}\u{489}\u{317}",
                "p\u{20DD}o\u{20DD}k\u{20DD}e\u{20DD}r\u{20DD}", "p\u{332}o\u{332}k\u{332}e\u{332}r\u{332}",
                "\u{1F1F5} \u{1F1F4} \u{1F1F0} \u{1F1EA} \u{1F1F7}", "\u{1F1F5}\u{200B}\u{1F1F4}\u{200B}\u{1F1F0}\u{200B}\u{1F1EA}\u{200B}\u{1F1F7}",
                "po*ker", "po~ker", "*po*ker", "_po_*ker*", "!1 po!ker",
            ]
        ),
        (
            "escort",
            [
                "𝐞𝐬𝐜𝐨𝐫𝐭", "𝒆𝒔𝒄𝒐𝒓𝒕", "𝓮𝓼𝓬𝓸𝓻𝓽", "𝔢𝔰𝔠𝔬𝔯𝔱", "𝕖𝕤𝕔𝕠𝕣𝕥", "𝖊𝖘𝖈𝖔𝖗𝖙", "𝖾𝗌𝖼𝗈𝗋𝗍", "𝗲𝘀𝗰𝗼𝗿𝘁", "𝘦𝘴𝘤𝘰𝘳𝘵", "𝙚𝙨𝙘𝙤𝙧𝙩", "𝚎𝚜𝚌𝚘𝚛𝚝", "ｅｓｃｏｒｔ", "ⓔⓢⓒⓞⓡⓣ",
                "🅔🅢🅒🅞🅡🅣", "🄴🅂🄲🄾🅁🅃", "🅴🆂🅲🅾🆁🆃", "⒠⒮⒞⒪⒭⒯", "𝑒𝑠𝑐𝑜𝑟𝑡", "ℯ𝓈𝒸ℴ𝓇𝓉", "win 𝐞𝐬𝐜𝐨𝐫𝐭 now", "win ⓔⓢⓒⓞⓡⓣ now", "win 🄴🅂🄲🄾🅁🅃 now", "win ｅｓｃｏｒｔ now",
                "еѕсоrt", "escοrτ", "35c0r7", "e$cort", "ᴇsᴄᴏʀᴛ", "ᵉˢᶜᵒʳᵗ", "ᎬᏚᏟoᏒᎢ", "ꓰꓢꓚꓳꓣꓔ", "éšçórt", "e\u{301}s\u{30C}c\u{327}o\u{301}rt",
                "e\u{200B}s\u{200B}c\u{200B}o\u{200B}r\u{200B}t", "e\u{200C}s\u{200C}c\u{200C}o\u{200C}r\u{200C}t",
                "e\u{200D}s\u{200D}c\u{200D}o\u{200D}r\u{200D}t", "e\u{2060}s\u{2060}c\u{2060}o\u{2060}r\u{2060}t",
                "e\u{FEFF}s\u{FEFF}c\u{FEFF}o\u{FEFF}r\u{FEFF}t", "e\u{AD}s\u{AD}c\u{AD}o\u{AD}r\u{AD}t", "e\u{34F}s\u{34F}c\u{34F}o\u{34F}r\u{34F}t",
                "e\u{FE0F}s\u{FE0F}c\u{FE0F}o\u{FE0F}r\u{FE0F}t", "e\u{E0061}s\u{E0061}c\u{E0061}o\u{E0061}r\u{E0061}t",
                "e\u{2063}s\u{2063}c\u{2063}o\u{2063}r\u{2063}t", "e\u{1D173}s\u{1D173}c\u{1D173}o\u{1D173}r\u{1D173}t",
                "e\u{3164}s\u{3164}c\u{3164}o\u{3164}r\u{3164}t", "e s c o r t", "e.s.c.o.r.t", "e-s-c-o-r-t", "e_s_c_o_r_t", "e*s*c*o*r*t",
                "e/s/c/o/r/t", "e·s·c·o·r·t", "e•s•c•o•r•t", "e~s~c~o~r~t", "e,s,c,o,r,t", "e\u{A0}s\u{A0}c\u{A0}o\u{A0}r\u{A0}t",
                "e\u{2003}s\u{2003}c\u{2003}o\u{2003}r\u{2003}t", "e\u{3000}s\u{3000}c\u{3000}o\u{3000}r\u{3000}t", "e–s–c–o–r–t",
                "e . s . c . o . r . t", "e--s--c--o--r--t", "e. s. c. o. r. t", "e_ s_ c_ o_ r_ t", "e__s__c__o__r__t", "ESCORT", "Escort", "eScOrT",
                "eeeessssccccoooorrrrtttt", "essssscort", "escorttttttt", "escort2", "escort777", "1escort", "escort24.", "ESCORT365", "_escort_",
                "__escort__", "*escort*", "~escort~", "`escort`", "\"escort\"", "“escort”", "«escort»", "(escort)", "[escort]", "🎰escort🎰",
                "¡escort!", "…escort…", "—escort—", "#escort#", "!1 escort!", "!- escort!", "字escort字",
                "e\u{336}s\u{336}c\u{336}o\u{336}r\u{336}t\u{336}",
                "e\u{351}\u{489}\u{317}s\u{351}\u{489}\u{317}c\u{351}\u{489}\u{317}o\u{351}\u{489}\u{317}r\u{351}\u{489}\u{317}t\u{351}\u{489}\u{317}",
                "e\u{20DD}s\u{20DD}c\u{20DD}o\u{20DD}r\u{20DD}t\u{20DD}", "e\u{332}s\u{332}c\u{332}o\u{332}r\u{332}t\u{332}",
                "\u{1F1EA} \u{1F1F8} \u{1F1E8} \u{1F1F4} \u{1F1F7} \u{1F1F9}",
                "\u{1F1EA}\u{200B}\u{1F1F8}\u{200B}\u{1F1E8}\u{200B}\u{1F1F4}\u{200B}\u{1F1F7}\u{200B}\u{1F1F9}", "esc*ort", "esc~ort", "*esc*ort",
                "_esc_*ort*", "!1 esc!ort",
            ]
        ),
        (
            "free money",
            [
                "f r e e m o n e y", "f r e e  m o n e y", "f.r.e.e m.o.n.e.y", "F-R-E-E-M-O-N-E-Y", "f_r_e_e_m_o_n_e_y", "ｆ ｒ ｅ ｅ ｍ ｏ ｎ ｅ ｙ",
                "f r 3 e m 0 n e y", "a f r e e m o n e y", "f\nr\ne\ne\nm\no\nn\ne\ny", "\u{202E}yenom eerf", "\u{202E}y e n o m e e r f",
                "FREE MONEY", "free  money", "free\nmoney", "fr33 m0n3y", "𝐟𝐫𝐞𝐞 𝐦𝐨𝐧𝐞𝐲", "*free* _money_", "free\u{A0}money", "frее mоnеy",
                "ＦＲＥＥ\u{3000}ＭＯＮＥＹ", "free\u{200B} money", "f\u{200B}r\u{200B}e\u{200B}e m\u{200B}o\u{200B}n\u{200B}e\u{200B}y",
            ]
        ),
        (
            "don't click",
            [
                "d o n t c l i c k", "d o n ' t c l i c k", "d.o.n.t c.l.i.c.k",
                "don’t click", "Don‘t click", "don`t click", "DON´T CLICK", "don′t click", "donʼt click", "don＇t click", "don't\tclick",
                "dоn’t сliсk",
            ]
        ),
        (
            "казино",
            [
                "казино", "КАЗИНО", "Казино\u{301}", "к а з и н о", "к.а.з.и.н.о", "казиноооо", "_казино_", "казино777", "каз\u{200B}ино", "кαзинο",
                "kазинo", "~казино~", "казино!", "«казино»",
            ]
        ),
        (
            "καζίνο",
            [
                "καζίνο", "ΚΑΖΙΝΟ", "καζινο", "Καζίνο", "κ α ζ ι ν ο", "καζι\u{301}νο", "**καζίνο**", "καζίνο!",
            ]
        ),
        (
            "μαγείας",
            [
                "ΜΑΓΕΙΑΣ", "μαγείας", "μαγειασ", "Μαγείας",
            ]
        ),
        (
            "\u{643}\u{627}\u{632}\u{64A}\u{646}\u{648}",
            [
                "\u{643}\u{627}\u{632}\u{64A}\u{646}\u{648}", "\u{643}\u{640}\u{627}\u{632}\u{64A}\u{646}\u{648}",
                "\u{643}\u{640}\u{640}\u{640}\u{627}\u{632}\u{64A}\u{646}\u{640}\u{648}", "\u{643} \u{627} \u{632} \u{64A} \u{646} \u{648}",
                "\u{6A9}\u{627}\u{632}\u{6CC}\u{646}\u{648}", "\u{643}\u{627}\u{632}\u{64A}\u{646}\u{648}\u{648}\u{648}\u{648}",
                "\u{643}\u{64E}\u{627}\u{632}\u{650}\u{64A}\u{646}\u{64F}\u{648}", "\u{643}\u{627}\u{200C}\u{632}\u{64A}\u{646}\u{648}",
                "(\u{643}\u{627}\u{632}\u{64A}\u{646}\u{648})", "\u{643}\u{627}\u{632}\u{64A}\u{646}\u{648}!",
                "\u{643}_\u{627}_\u{632}_\u{64A}_\u{646}_\u{648}",
            ]
        ),
        (
            "赌博网站",
            [
                "赌博网站", "赌 博 网 站", "赌.博.网.站", "赌-博-网-站", "赌_博_网_站", "最好的赌博网站！", "赌\u{200B}博网站", "赌·博·网·站", "赌\u{3000}博\u{3000}网\u{3000}站", "*赌博*网站",
                "赌，博，网，站",
            ]
        ),
        (
            "カジノ",
            [
                "カジノ", "カ ジ ノ", "カ・ジ・ノ", "オンラインカジノで", "ｶｼﾞﾉ", "カシ\u{3099}ノ", "カ_ジ_ノ", "力ジノ", "カ\u{200B}ジノ", "カ.ジ.ノ",
                "カジ ノ", "カ ジノ", "カジ.ノ", "ｶ ｼﾞ ﾉ", "ｶ ｼ ﾞ ﾉ", "ｶｼ ﾞﾉ", "カシ゛ノ", "カシ ゛ノ", "ｶｼﾞ ﾉ", "カ\u{3000}ジノ",
            ]
        ),
        (
            "카지노",
            [
                "카지노", "카 지 노", "카.지.노", "카지노", "카_지_노", "온라인 카지노 !", "카\u{200B}지노", "카-지-노",
                "ㅋㅏㅈㅣㄴㅗ", "ㅋ ㅏ ㅈ ㅣ ㄴ ㅗ", "ㅋ.ㅏ.ㅈ.ㅣ.ㄴ.ㅗ", "카지 노", "카 지노", "카ㅈㅣ노", "카지ㄴㅗ", "ㅋr지노", "카ㅈl노", "카ㅈ1노", "온라인 카지 노 !",
                "ﾻￂﾸￜﾤￌ", "ﾻ ￂ ﾸ ￜ ﾤ ￌ",
            ]
        ),
        (
            "도박",
            [
                "도박", "ㄷㅗㅂㅏㄱ", "ㄷ ㅗ ㅂ ㅏ ㄱ", "도 박", "도.박", "도_박", "도ㅂㅏㄱ", "도바ㄱ", "ﾧￌﾲￂﾡ", "온라인 도박 !",
            ]
        ),
        (
            "scam",
            [
                "scam", "s c a m", "i s c a m", "a s c a m", "a.s.c.a.m", "i s.c.a.m", "a s_c_a_m", "I S C A M",
            ]
        ),
        (
            "คาส\u{E34}โน",
            [
                "คาส\u{E34}โน", "คา ส\u{E34} โน", "คา-ส\u{E34}-โน", "คา.ส\u{E34}.โน", "เล\u{E48}นคาส\u{E34}โนออนไลน\u{E4C}", "คา\u{200B}ส\u{E34}โน",
            ]
        ),
        (
            "क\u{948}सीनो",
            [
                "क\u{948}सीनो", "ऑनलाइन क\u{948}सीनो", "क\u{948}सीनो!", "*क\u{948}सीनो*", "क\u{948}\u{200B}सीनो",
            ]
        ),
        (
            "straße",
            [
                "STRASSE", "straße", "Straẞe", "STRAßE",
            ]
        ),
        (
            "kumarhane",
            [
                "KUMARHANE", "kumarhane", "Kumarhane", "k u m a r h a n e", "kumarhäne",
            ]
        ),
        (
            "iddaa",
            [
                "İDDAA", "iddaa", "IDDAA", "İddaa", "ıddaa", "i\u{307}ddaa", "i d d a a",
            ]
        ),
        (
            "cờ bạc",
            [
                "cờ bạc", "co\u{31B}\u{300} ba\u{323}c", "CỜ BẠC", "co bac",
            ]
        ),
        (
            "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}",
            [
                "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}", "\u{5D4} \u{5D9} \u{5DE} \u{5D5} \u{5E8} \u{5D9} \u{5DD}",
                "\u{5D4}\u{5B4}\u{5D9}\u{5DE}\u{5D5}\u{5BC}\u{5E8}\u{5B4}\u{5D9}\u{5DD}", "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{200F}\u{5E8}\u{5D9}\u{5DD}",
                "\"\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}\"", "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}!",
            ]
        ),
        (
            "lottery",
            [
                "l o t t e r y", "L0TTERY", "lοttery", "1ottery", "lot\u{200B}tery", "l.0.t.t.e.r.y", "ʟᴏᴛᴛᴇʀʏ", "ⓛⓞⓣⓣⓔⓡⓨ", "l0tt3ry", "ｌｏｔｔｅｒｙ",
                "lotteeeery", "lottеrу", "\u{202E}yrettol", "a l o t t e r y", "win l-o-t-t-e-r-y now", "lottery99", "𝕝𝕠𝕥𝕥𝕖𝕣𝕪", "ł0ttery",
                "l\u{335}o\u{335}ttery", "🅻🅾🆃🆃🅴🆁🆈",
            ]
        ),
        (
            "cocaine",
            [
                "c0caine", "сосаinе", "c o c a i n e", "cocaïne", "coca1ne", "CÓCÁÌÑÉ", "co\u{AD}caine", "cocaine!!!", "c/o/c/a/i/n/e", "ᑕocaine",
            ]
        ),
        (
            "наркотики",
            [
                "н а р к о т и к и", "Наркотики", "нaркoтики", "нарк0тики", "н.а.р.к.о.т.и.к.и", "НАРКОТИКИ", "нар\u{200B}котики", "наркотикиии",
                "ʜаркотики", "\u{202E}икитокран",
            ]
        ),
        (
            "free bitcoin",
            [
                "f r e e b i t c o i n", "FREE  BITCOIN", "frее bitсоin", "f.r.e.e b.i.t.c.o.i.n", "free b i t c o i n", "fr33 b1tc01n",
                "free\u{A0}bitcoin", "free\nbitcoin", "free\u{2003}bitcoin", "ｆｒｅｅ ｂｉｔｃｏｉｎ",
            ]
        ),
        (
            "賭場",
            [
                "賭 場", "賭.場", "賭\u{200B}場", "賭\u{3000}場", "線上賭場", "賭、場", "賭*場", "「賭場」",
            ]
        ),
        (
            "도박",
            [
                "도\u{200B}박", "도박!!",
            ]
        ),
        (
            "\u{642}\u{645}\u{627}\u{631}",
            [
                "\u{642} \u{645} \u{627} \u{631}", "\u{642}\u{640}\u{645}\u{640}\u{627}\u{631}", "\u{642}\u{64E}\u{645}\u{627}\u{631}",
                "\u{642}\u{645}\u{627}\u{631}\u{200F}", "\u{642}.\u{645}.\u{627}.\u{631}", "\u{642}\u{645}\u{640}\u{640}\u{640}\u{627}\u{631}",
            ]
        ),
        (
            "ज\u{941}आ",
            [
                "ज\u{941}आ", "*ज\u{941}आ*", "ज\u{941}\u{200B}आ", "ऑनलाइन ज\u{941}आ",
            ]
        ),
        (
            "การพน\u{E31}น",
            [
                "การพน\u{E31}น", "การ\u{200B}พน\u{E31}น", "เว\u{E47}บการพน\u{E31}นออนไลน\u{E4C}",
            ]
        ),
        (
            "cá độ",
            [
                "cá độ", "CÁ ĐỘ", "ca do", "cá\u{A0}độ", "c á đ ộ",
            ]
        ),
        (
            "κοκαΐνη",
            [
                "ΚΟΚΑΪΝΗ", "κοκαινη", "κ ο κ α ΐ ν η", "κoκαΐνη", "κοκαΐνη!",
            ]
        ),
        (
            "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}",
            [
                "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}", "\u{5D4}\u{5D9}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}!",
                "\u{5D4}.\u{5D9}.\u{5DE}.\u{5D5}.\u{5E8}.\u{5D9}.\u{5DD}", "\u{5D4}\u{5D9}\u{200F}\u{5DE}\u{5D5}\u{5E8}\u{5D9}\u{5DD}",
            ]
        ),
        (
            "バイアグラ",
            [
                "ﾊﾞｲｱｸﾞﾗ", "バ イ ア グ ラ", "バイアグラ激安",
            ]
        ),
        (
            "крипта",
            [
                "kриптa", "к р и п т а", "Крипта", "крипта", "КРИПТА!",
            ]
        ),
        (
            "uyuşturucu",
            [
                "UYUŞTURUCU", "uyusturucu", "u y u ş t u r u c u", "uyuşturucuuu",
            ]
        ),
        (
            "pożyczka",
            [
                "POŻYCZKA", "pozyczka", "p o ż y c z k a", "pożyczkaaa",
            ]
        ),
        (
            "hazardní hry",
            [
                "HAZARDNÍ HRY", "hazardni hry", "h a z a r d n í h r y",
            ]
        ),
    ]
}
