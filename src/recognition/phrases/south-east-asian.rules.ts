import type { LanguagePhrases } from './phrases.rules.ts';

export const id: LanguagePhrases = {
  person: `
    (bicara|berbicara|ngobrol|chat|terhubung|berkomunikasi|ngomong|bicarakan) ?(langsung) (dengan|sama|ke) ?(seorang) (manusia|orang|seseorang|agen|petugas|cs|customer service|operator|staf|admin|karyawan|layanan pelanggan|tim) ?(asli|sungguhan)
    (hubungkan|sambungkan|alihkan|transfer) ?(saya|aku) ?(tolong) (dengan|ke|kepada) ?(seorang) (manusia|orang|agen|petugas|cs|customer service|operator|staf|admin|seseorang)
    (saya|aku) (mau|ingin|butuh|perlu) ?(seorang) (manusia|agen manusia|orang asli|orang sungguhan|operator manusia|petugas) ?(dong|sekarang|tolong|ya) $`,
  personAlone: `(manusia|agen|operator|petugas|cs|customer service|orang) ?(asli|sungguhan|manusia)`,
  notBefore: `(tidak|nggak|gak|tak|enggak|ga) ?(mau|ingin|perlu|butuh|usah|harus); tanpa ?(harus|perlu); daripada; jangan`,
  notAfter: `tidak (perlu|diperlukan)`,
  polite: `tolong; mohon; terima kasih; halo; hai; selamat pagi; selamat siang; sekarang; saya; mau; kak; min; dong; silakan`,
  thanks: `(terima kasih|terimakasih|makasih|trims|thanks|tks|makasi) ?(banyak|atas (bantuannya|jawabannya|informasinya|infonya)|ya|kak|min); ok; oke; okay; baik; baiklah; sip; mantap; bagus; sempurna; mengerti; paham; saya mengerti; siap; tidak terima kasih; itu saja; luar biasa; hebat; bagus sekali; sama sama; sudah jelas; noted`,
  yes: `ya; iya; ya ya; ya (benar|tentu|saya setuju|saya konfirmasi|betul|silakan|boleh|setuju); ?ya saya (konfirmasi|setuju); konfirmasi; dikonfirmasi; benar; betul; setuju; tentu; tentu saja`,
  no: `tidak; nggak; gak; enggak; tak; tidak (terima kasih|batal|batalkan|jadi|mau|setuju); batal; batalkan; dibatalkan; jangan; tolak; saya menolak; tidak usah; gak jadi`,
  solved: `(masalah|masalahnya|semuanya|sudah) ?(sudah|telah|saya) (selesai|teratasi|beres|terselesaikan|berfungsi|bisa|diperbaiki|normal); (sekarang) ?(sudah) (berfungsi|bisa|berhasil|normal); berhasil (terima kasih|makasih|sekarang); itu (membantu|berhasil); ^ (beres|berhasil|teratasi|sudah bisa) $`,
  notSolved: `tidak; nggak; gak; belum; tapi; tetapi; namun; masih; sayangnya; kecuali; jika; kalau; ketika; sampai; bagaimana; hampir; tanpa; apakah; kapan; semoga`,
  sentences: {
    handing_off: 'Kami menghubungkan Anda dengan anggota tim kami. Jawabannya akan muncul di sini.',
    found: 'Berikut informasi dari halaman kami:',
    may_help: 'Halaman berikut mungkin membantu:',
    not_found: 'Maaf, saya tidak menemukan jawaban untuk ini.',
    ask_details: 'Bisakah Anda menjelaskan sedikit lebih rinci apa yang Anda butuhkan?',
    prohibited_topic: 'Saya tidak dapat membantu soal topik ini. Anggota tim kami akan menjawab Anda di sini.',
    unreadable: 'Saya tidak dapat membaca lampiran ini. Anggota tim kami akan melihatnya.',
    failed: 'Terjadi kesalahan di pihak kami. Anggota tim kami akan menjawab Anda di sini.',
    action_done: 'Sudah selesai dilakukan.',
    action_failed: 'Ini tidak dapat dilakukan. Tidak ada yang diubah.',
    action_unknown: 'Kami belum tahu apakah ini berhasil. Anggota tim kami akan memeriksanya.',
    action_in_progress: 'Ini sedang diproses. Kami akan memberi tahu Anda di sini.',
    confirm_question: 'Mohon konfirmasi: {action}',
    confirm_yes_hint: 'Balas “ya” untuk mengonfirmasi atau “tidak” untuk membatalkan.',
    confirmed: 'Terima kasih, sudah dikonfirmasi.',
    rejected_confirmation: 'Baik, kami tidak akan melakukannya.',
    confirm_button: 'Konfirmasi',
    reject_button: 'Batal',
    confirmation_expired: 'Tautan ini sudah kedaluwarsa. Tidak ada yang dilakukan.',
    identity_required: 'Untuk ini, kami perlu memverifikasi identitas Anda terlebih dahulu.',
    budget: 'Saya tidak dapat melanjutkan percakapan ini sekarang. Anggota tim kami akan menjawab Anda di sini.',
  },
};

export const vi: LanguagePhrases = {
  person: `
    (nói chuyện|trò chuyện|chat|trao đổi|liên hệ|gặp|nói) ?(trực tiếp) (với) ?(một) (người|người thật|nhân viên|ai đó|tư vấn viên|con người|tổng đài viên|quản lý|nhân viên tư vấn|nhân viên hỗ trợ)
    (muốn|cần|cho tôi|xin) gặp ?(trực tiếp) (nhân viên|người thật|tư vấn viên|tổng đài viên|quản lý)
    (kết nối|chuyển|nối máy) ?(tôi|giúp tôi) ?(máy) (với|đến|tới|cho|sang) ?(một) (người|người thật|nhân viên|tư vấn viên|tổng đài viên|ai đó)`,
  personAlone: `nhân viên ?(tư vấn|hỗ trợ); tư vấn viên; tổng đài viên; người thật; gặp nhân viên; gặp người thật`,
  notBefore: `(không|chẳng|chưa|đừng) ?(muốn|cần|phải|cần phải|nhất thiết); thay vì; mà không; không; đừng`,
  notAfter: `(là) ?(không) (không cần thiết|cần thiết)`,
  polite: `xin; vui lòng; làm ơn; cảm ơn; chào; xin chào; bây giờ; tôi; muốn; ạ; nhé; cho tôi; em; anh; chị; bạn`,
  thanks: `?(xin) (cảm ơn|cám ơn|thanks) ?(nhiều|rất nhiều|bạn|bạn nhiều|anh|chị|em|vì đã giúp|đã hỗ trợ|bạn đã giúp); ok; oke; được rồi; tốt; tốt quá; rất tốt; tuyệt; tuyệt vời; hoàn hảo; tôi hiểu rồi; hiểu rồi; rõ rồi; vâng; dạ; vậy thôi; hay quá; không cảm ơn; đã rõ; chào bạn; được; ổn rồi`,
  yes: `có; vâng; dạ; đúng; đúng vậy; đúng rồi; vâng (đúng|đồng ý|tôi đồng ý|tôi xác nhận|đúng vậy); ?(có|vâng) ?tôi (xác nhận|đồng ý); xác nhận; đồng ý; chắc chắn; tất nhiên`,
  no: `không; không không; không (cảm ơn|hủy|đồng ý|muốn|phải); hủy; huỷ; hủy bỏ; hủy đi; thôi; đừng; từ chối; tôi từ chối; thôi không cần`,
  solved: `(đã|vấn đề) ?(đã|của tôi) ?(được) (giải quyết|khắc phục|sửa|xử lý) ?(xong|rồi); (giờ|bây giờ) ?(đã|thì) (hoạt động|được rồi|dùng được|ổn rồi); (hoạt động|dùng được) (rồi|lại rồi|bình thường); làm được rồi`,
  notSolved: `không; chưa; nhưng; vẫn; tuy nhiên; nếu; khi; cho đến; gần; sao; chẳng; trừ; thế nào; đừng; mà`,
  sentences: {
    handing_off: 'Chúng tôi đang kết nối bạn với một thành viên trong đội ngũ. Câu trả lời sẽ có ở đây.',
    found: 'Đây là nội dung trên các trang của chúng tôi:',
    may_help: 'Các trang này có thể giúp ích:',
    not_found: 'Rất tiếc, tôi không tìm thấy câu trả lời cho câu hỏi này.',
    ask_details: 'Bạn có thể cho biết rõ hơn bạn cần gì không?',
    prohibited_topic: 'Tôi không thể hỗ trợ về chủ đề này. Một thành viên trong đội ngũ sẽ trả lời bạn ở đây.',
    unreadable: 'Tôi không đọc được tệp đính kèm này. Một thành viên trong đội ngũ sẽ xem.',
    failed: 'Đã xảy ra sự cố ở phía chúng tôi. Một thành viên trong đội ngũ sẽ trả lời bạn ở đây.',
    action_done: 'Việc này đã được thực hiện.',
    action_failed: 'Không thể thực hiện việc này. Không có gì bị thay đổi.',
    action_unknown: 'Chúng tôi chưa biết việc này có thành công hay không. Một thành viên trong đội ngũ sẽ kiểm tra.',
    action_in_progress: 'Việc này đang được xử lý. Chúng tôi sẽ báo cho bạn ở đây.',
    confirm_question: 'Vui lòng xác nhận: {action}',
    confirm_yes_hint: 'Trả lời “có” để xác nhận hoặc “không” để hủy.',
    confirmed: 'Cảm ơn bạn, đã xác nhận.',
    rejected_confirmation: 'Được, chúng tôi sẽ không thực hiện.',
    confirm_button: 'Xác nhận',
    reject_button: 'Hủy',
    confirmation_expired: 'Liên kết này đã hết hạn. Chưa có gì được thực hiện.',
    identity_required: 'Để thực hiện việc này, trước tiên chúng tôi cần xác minh danh tính của bạn.',
    budget: 'Tôi không thể tiếp tục cuộc trò chuyện này lúc này. Một thành viên trong đội ngũ sẽ trả lời bạn ở đây.',
  },
};

export const th: LanguagePhrases = {
  person: `
    (คุย|พูด|พูดคุย|สนทนา|แชท|ติดต่อ|พูดสาย) ?(โดยตรง) (กับ) ?(คน|มนุษย์) ?(เจ้าหน้าที่|พนักงาน|คนจริง|แอดมิน|มนุษย์|คน|ตัวแทน|ใครสักคน)
    ขอ ?(สาย|คุยกับ|ติดต่อ) (เจ้าหน้าที่|พนักงาน|แอดมิน|คนจริง)
    (โอนสาย|ต่อสาย|โอน|เชื่อมต่อ) ?(ฉัน|ผม) ?(ไป) (ให้|ไปยัง|หา|กับ|ถึง|ไปที่) ?(ฉันกับ) (เจ้าหน้าที่|พนักงาน|แอดมิน|คนจริง)
    (อยาก|ต้องการ) ?(ได้) (เจ้าหน้าที่|พนักงาน|คนจริง)`,
  personAlone: `เจ้าหน้าที่; พนักงาน; แอดมิน; คนจริง; คนจริงๆ`,
  notBefore: `ไม่ ?(อยาก|ต้องการ|ต้อง|จำเป็นต้อง|ได้อยาก); อย่า; โดยไม่`,
  notAfter: `ไม่จำเป็น`,
  polite: `ครับ; ค่ะ; คะ; ครับผม; จ้ะ; นะ; นะคะ; นะครับ; หน่อย; ขอบคุณ; กรุณา; สวัสดี; ขอ; ด้วย`,
  thanks: `ขอบคุณ ?(มาก|มากๆ|สำหรับความช่วยเหลือ|ที่ช่วย); ขอบใจ; โอเค; ตกลง; ok; ได้; เข้าใจแล้ว; เยี่ยม; เยี่ยมมาก; ดีมาก; ดี; รับทราบ; ทราบแล้ว; สมบูรณ์แบบ; ไม่เป็นไร; แค่นี้; เรียบร้อย`,
  yes: `ใช่; ใช่แล้ว; ยืนยัน; ตกลง; ถูกต้อง; เห็นด้วย; แน่นอน; ใช่ ยืนยัน; ขอยืนยัน`,
  no: `ไม่; ไม่ใช่; ไม่เอา; ยกเลิก; ไม่ต้อง; ไม่ยืนยัน; ปฏิเสธ; ไม่ตกลง; ไม่ ขอบคุณ; ไม่ ยกเลิก; อย่า`,
  solved: `แก้ได้แล้ว; แก้ไขได้แล้ว; แก้ปัญหาได้แล้ว; ใช้งานได้แล้ว; ใช้ได้แล้ว; หายแล้ว; แก้ไขแล้ว; ปัญหาได้รับการแก้ไขแล้ว; สำเร็จแล้ว; ทำได้แล้ว`,
  notSolved: `ไม่; แต่; ยัง; ถ้า; เมื่อไหร่; เมื่อไร; อย่างไร; ยังไง; ไหม; หรือยัง; เกือบ; ยกเว้น; หรือเปล่า; มั้ย`,
  sentences: {
    handing_off: 'เรากำลังเชื่อมต่อคุณกับทีมงานของเรา คำตอบจะส่งถึงคุณที่นี่',
    found: 'ข้อมูลจากหน้าเว็บของเรามีดังนี้:',
    may_help: 'หน้าเหล่านี้อาจช่วยคุณได้:',
    not_found: 'ขออภัย ไม่พบคำตอบสำหรับคำถามนี้',
    ask_details: 'กรุณาอธิบายเพิ่มเติมเล็กน้อยว่าคุณต้องการอะไร',
    prohibited_topic: 'ไม่สามารถช่วยเหลือในหัวข้อนี้ได้ ทีมงานของเราจะตอบคุณที่นี่',
    unreadable: 'ไม่สามารถอ่านไฟล์แนบนี้ได้ ทีมงานของเราจะตรวจสอบให้',
    failed: 'เกิดข้อผิดพลาดทางฝั่งเรา ทีมงานของเราจะตอบคุณที่นี่',
    action_done: 'ดำเนินการเรียบร้อยแล้ว',
    action_failed: 'ไม่สามารถดำเนินการได้ และไม่มีการเปลี่ยนแปลงใด ๆ',
    action_unknown: 'ยังไม่ทราบว่าดำเนินการสำเร็จหรือไม่ ทีมงานของเราจะตรวจสอบให้',
    action_in_progress: 'กำลังดำเนินการอยู่ เราจะแจ้งให้คุณทราบที่นี่',
    confirm_question: 'กรุณายืนยัน: {action}',
    confirm_yes_hint: 'ตอบว่า “ใช่” เพื่อยืนยัน หรือ “ไม่” เพื่อยกเลิก',
    confirmed: 'ขอบคุณ ยืนยันเรียบร้อยแล้ว',
    rejected_confirmation: 'รับทราบ เราจะไม่ดำเนินการ',
    confirm_button: 'ยืนยัน',
    reject_button: 'ยกเลิก',
    confirmation_expired: 'ลิงก์นี้หมดอายุแล้ว ยังไม่มีการดำเนินการใด ๆ',
    identity_required: 'ก่อนดำเนินการ เราต้องยืนยันตัวตนของคุณก่อน',
    budget: 'ขณะนี้ไม่สามารถสนทนาต่อได้ ทีมงานของเราจะตอบคุณที่นี่',
  },
};
