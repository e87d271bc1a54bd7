import type { LanguagePhrases } from './phrases.rules.ts';

export const ar: LanguagePhrases = {
  person: `
    التحدث مع شخص | التحدث إلى شخص | التحدث مع موظف | التحدث إلى موظف | التحدث مع إنسان | التحدث مع ممثل
    التكلم مع شخص | التكلم مع موظف | أتحدث مع موظف | أتحدث مع شخص | أتكلم مع | شخص حقيقي | موظف حقيقي | حولني إلى
    خدمة العملاء من فضلك | موظف من فضلك`,
  not: 'لا | لن | بدون | ليس | لم',
  thanks: 'شكرا | شكرا جزيلا | شكرا لك | شكرا لكم | ممتاز | رائع | حسنا | تمام | اوكي | جزيلا',
  solved: 'يعمل الآن | تم حل المشكلة | حلت المشكلة | تم الحل | انحلت المشكلة',
  sentences: {
    handing_off: 'سأوصلك بفريقنا، وستصلك الإجابة هنا.',
    found: 'هذا ما وجدته:',
    may_help: 'قد تفيدك هذه الصفحات:',
    not_found: 'لم أجد إجابة عن هذا.',
    ask_details: 'هل يمكنك أن توضح قليلاً ما الذي تحتاج إليه؟',
    unreadable: 'لا أستطيع قراءة هذا المرفق. سيطلع عليه أحد أفراد فريقنا.',
    prohibited_topic: 'لا أستطيع المساعدة في هذا. سيجيبك هنا أحد أفراد فريقنا.',
    failed: 'حدث خطأ من جانبنا. سيجيبك هنا أحد أفراد فريقنا.',
  },
};

export const fa: LanguagePhrases = {
  person: `
    صحبت با یک انسان | با یک نفر صحبت | با کسی صحبت | با پشتیبان صحبت | با اپراتور صحبت | صحبت با اپراتور
    صحبت با پشتیبان | آدم واقعی | انسان واقعی | وصل کنید به | با کارشناس صحبت`,
  not: 'نه | نمی‌خواهم | نمیخواهم | بدون',
  thanks: 'ممنون | متشکرم | مرسی | خیلی ممنون | سپاس | عالی | باشه | خوب | بسیار | سپاسگزارم',
  solved: 'الان کار می‌کند | درست شد | مشکل حل شد | حل شد',
  sentences: {
    handing_off: 'شما را به همکارانمان وصل می‌کنم. پاسخ همین‌جا می‌آید.',
    found: 'این را پیدا کردم:',
    may_help: 'این صفحه‌ها شاید کمک کنند:',
    not_found: 'پاسخی برای این پیدا نکردم.',
    ask_details: 'می‌توانید کمی بیشتر توضیح دهید که به چه چیزی نیاز دارید؟',
    unreadable: 'نمی‌توانم این پیوست را بخوانم. یکی از همکارانمان آن را می‌بیند.',
    prohibited_topic: 'در این مورد نمی‌توانم کمک کنم. یکی از همکارانمان همین‌جا پاسخ می‌دهد.',
    failed: 'مشکلی از سمت ما پیش آمد. یکی از همکارانمان همین‌جا پاسخ می‌دهد.',
  },
};

export const he: LanguagePhrases = {
  person: `
    לדבר עם בן אדם | לדבר עם אדם | לדבר עם נציג | לדבר עם נציגה | לדבר עם מישהו | לדבר עם אנושי | נציג אנושי
    אדם אמיתי | בן אדם אמיתי | תעבירו אותי | נציג בבקשה | שירות לקוחות אנושי`,
  not: 'לא | בלי | אף | ללא',
  thanks: 'תודה | תודה רבה | המון תודה | מעולה | מצוין | אוקיי | בסדר | סבבה | יופי | רבה',
  solved: 'עובד עכשיו | זה עובד | הבעיה נפתרה | נפתר | עזר לי',
  sentences: {
    handing_off: 'אני מעביר את הפנייה לצוות שלנו. התשובה תגיע לכאן.',
    found: 'זה מה שמצאתי:',
    may_help: 'הדפים האלה עשויים לעזור:',
    not_found: 'לא מצאתי תשובה לכך.',
    ask_details: 'אפשר לפרט קצת יותר מה דרוש לך?',
    unreadable: 'איני יכול לקרוא את הקובץ המצורף. מישהו מהצוות שלנו יבדוק אותו.',
    prohibited_topic: 'איני יכול לעזור בנושא הזה. מישהו מהצוות שלנו ישיב כאן.',
    failed: 'משהו השתבש אצלנו. מישהו מהצוות שלנו ישיב כאן.',
  },
};

export const hi: LanguagePhrases = {
  person: `
    इंसान से बात | किसी से बात | व्यक्ति से बात | एजेंट से बात | प्रतिनिधि से बात | कर्मचारी से बात | असली इंसान
    असली व्यक्ति | कस्टमर केयर से बात | मुझे कनेक्ट | सपोर्ट से बात`,
  not: 'नहीं | मत | बिना',
  thanks: 'धन्यवाद | शुक्रिया | बहुत धन्यवाद | बहुत शुक्रिया | बढ़िया | ठीक है | ओके | अच्छा | बहुत',
  solved: 'अब काम कर रहा है | समस्या हल हो गई | हल हो गया | ठीक हो गया',
  sentences: {
    handing_off: 'मैं आपको हमारी टीम से जोड़ रहा हूँ। उत्तर यहीं आएगा।',
    found: 'मुझे यह मिला:',
    may_help: 'ये पृष्ठ मदद कर सकते हैं:',
    not_found: 'मुझे इसका उत्तर नहीं मिला।',
    ask_details: 'क्या आप थोड़ा और बता सकते हैं कि आपको क्या चाहिए?',
    unreadable: 'मैं यह अटैचमेंट नहीं पढ़ सकता। हमारी टीम का कोई सदस्य इसे देखेगा।',
    prohibited_topic: 'मैं इसमें मदद नहीं कर सकता। हमारी टीम का कोई सदस्य यहीं उत्तर देगा।',
    failed: 'हमारी ओर से कुछ गड़बड़ी हुई। हमारी टीम का कोई सदस्य यहीं उत्तर देगा।',
  },
};

export const ja: LanguagePhrases = {
  person: `
    人と話したい | 人間と話 | 担当者と話 | 担当者に代わ | 担当者につない | オペレーターと話 | オペレーターにつない | オペレーターに代わ | 人につない | 有人対応 | 人に代わって | スタッフと話`,
  not: '話したくない | つながないで | 必要ありません | 不要',
  thanks:
    'ありがとう | ありがとうございます | ありがとうございました | どうも | 了解 | 了解です | わかりました | 承知しました | ok | 助かりました | 完璧',
  solved: '解決しました | 解決した | 動きました | 直りました | うまくいきました',
  sentences: {
    handing_off: '担当者におつなぎします。こちらで返信します。',
    found: '次の情報が見つかりました。',
    may_help: 'こちらのページが参考になるかもしれません。',
    not_found: 'お答えが見つかりませんでした。',
    ask_details: 'もう少し詳しく教えていただけますか。',
    unreadable: 'この添付ファイルを読み取れません。担当者が確認します。',
    prohibited_topic: 'この件についてはお手伝いできません。担当者がこちらで返信します。',
    failed: 'こちらで問題が発生しました。担当者がこちらで返信します。',
  },
};

export const ko: LanguagePhrases = {
  person: `
    사람과 이야기 | 사람이랑 이야기 | 사람과 대화 | 사람과 통화 | 상담원과 | 상담원이랑 | 상담원 연결 | 상담원에게 연결 | 상담원 부탁 | 상담사와 | 상담사 연결 | 실제 사람
    직원과 이야기 | 직원과 대화 | 직원 연결`,
  not: '싶지 않 | 필요 없 | 하지 마 | 원하지 않',
  thanks:
    '감사합니다 | 고맙습니다 | 고마워요 | 고마워 | 감사해요 | 네 감사합니다 | 알겠습니다 | 좋아요 | 완벽해요 | 정말 | ok | 오케이',
  solved: '해결됐어요 | 해결되었습니다 | 해결했어요 | 이제 돼요 | 이제 됩니다 | 작동합니다',
  sentences: {
    handing_off: '담당자에게 연결해 드리겠습니다. 답변은 여기로 드립니다.',
    found: '다음 내용을 찾았습니다.',
    may_help: '다음 페이지가 도움이 될 수 있습니다.',
    not_found: '이에 대한 답변을 찾지 못했습니다.',
    ask_details: '필요하신 내용을 조금 더 자세히 말씀해 주시겠어요?',
    unreadable: '이 첨부 파일을 읽을 수 없습니다. 담당자가 확인하겠습니다.',
    prohibited_topic: '이 내용은 도와드릴 수 없습니다. 담당자가 여기로 답변드리겠습니다.',
    failed: '저희 쪽에 문제가 생겼습니다. 담당자가 여기로 답변드리겠습니다.',
  },
};

export const zh: LanguagePhrases = {
  person: `
    转人工 | 人工客服 | 人工服务 | 找人工 | 真人客服 | 真人 | 和人聊 | 跟人聊 | 和客服说 | 跟客服说 | 和客服聊 | 跟客服聊 | 轉人工 | 真人客服 | 接人工 | 转接客服 | 轉接客服`,
  not: '不要 | 不用 | 不想 | 无需 | 別 | 别',
  thanks: '谢谢 | 谢谢你 | 谢谢您 | 多谢 | 非常感谢 | 感谢 | 謝謝 | 好的 | 好 | 明白了 | 知道了 | ok | 太好了 | 完美',
  solved: '解决了 | 已经解决 | 好了可以用了 | 可以用了 | 解決了 | 搞定了',
  sentences: {
    handing_off: '正在为您转接我们的团队，回复会显示在这里。',
    found: '我找到了以下内容：',
    may_help: '这些页面可能有帮助：',
    not_found: '我没有找到相关答案。',
    ask_details: '您能再详细说明一下您的需求吗？',
    unreadable: '我无法读取这个附件，我们的团队成员会查看。',
    prohibited_topic: '我无法在这方面提供帮助，我们的团队成员会在这里回复您。',
    failed: '我们这边出了点问题，我们的团队成员会在这里回复您。',
  },
};

export const vi: LanguagePhrases = {
  person: `
    nói chuyện với người | nói chuyện với nhân viên | nói chuyện với ai đó | gặp nhân viên | gặp người thật
    người thật | kết nối tôi với | chuyển cho nhân viên | chat với nhân viên`,
  not: 'không | đừng | chẳng | chưa',
  thanks: 'cảm ơn | cám ơn | cảm ơn nhiều | cảm ơn bạn | tuyệt vời | tuyệt | ok | được rồi | tốt | nhiều',
  solved: 'đã hoạt động | giờ được rồi | đã giải quyết | giải quyết xong | được rồi cảm ơn',
  sentences: {
    handing_off: 'Tôi sẽ chuyển bạn đến đội ngũ của chúng tôi. Câu trả lời sẽ có ở đây.',
    found: 'Đây là những gì tôi tìm được:',
    may_help: 'Các trang này có thể giúp ích:',
    not_found: 'Tôi không tìm thấy câu trả lời cho việc này.',
    ask_details: 'Bạn có thể cho biết rõ hơn bạn cần gì không?',
    unreadable: 'Tôi không đọc được tệp đính kèm này. Nhân viên của chúng tôi sẽ xem.',
    prohibited_topic: 'Tôi không thể giúp việc này. Nhân viên của chúng tôi sẽ trả lời bạn ở đây.',
    failed: 'Đã có sự cố ở phía chúng tôi. Nhân viên của chúng tôi sẽ trả lời bạn ở đây.',
  },
};

export const id: LanguagePhrases = {
  person: `
    bicara dengan manusia | bicara dengan orang | bicara dengan seseorang | bicara dengan agen
    bicara dengan petugas | bicara dengan cs | berbicara dengan manusia | berbicara dengan agen
    berbicara dengan orang | berbicara dengan seseorang | berbicara dengan petugas | orang sungguhan | manusia asli
    hubungkan saya`,
  not: 'tidak | jangan | tanpa | tak | belum',
  thanks: 'terima kasih | makasih | terima kasih banyak | mantap | bagus | ok | oke | baik | sip | banyak',
  solved: 'sudah bisa | sekarang berfungsi | masalah selesai | sudah selesai | sudah teratasi',
  sentences: {
    handing_off: 'Saya hubungkan Anda dengan tim kami. Jawabannya akan muncul di sini.',
    found: 'Ini yang saya temukan:',
    may_help: 'Halaman berikut mungkin membantu:',
    not_found: 'Saya tidak menemukan jawaban untuk ini.',
    ask_details: 'Bisakah Anda menjelaskan sedikit lebih rinci apa yang Anda butuhkan?',
    unreadable: 'Saya tidak dapat membaca lampiran ini. Tim kami akan melihatnya.',
    prohibited_topic: 'Saya tidak dapat membantu soal ini. Tim kami akan menjawab Anda di sini.',
    failed: 'Ada masalah di pihak kami. Tim kami akan menjawab Anda di sini.',
  },
};
