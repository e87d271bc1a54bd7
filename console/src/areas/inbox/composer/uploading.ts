import type { Schemas } from '../../../api/client';
import { uploadMedia } from '../../../api/media';

type KeptFile = Schemas['KeptFile'];

/** Uploads files one after the other, and returns those that were not refused. */
export async function uploadEach(files: File[], onRefused: (problem: string) => void): Promise<KeptFile[]> {
  const uploaded: KeptFile[] = [];
  for (const file of files) {
    await upload(file).then(
      (kept) => uploaded.push(kept),
      (error: Error) => onRefused(`${file.name}: ${error.message}`),
    );
  }
  return uploaded;
}

async function upload(file: File): Promise<KeptFile> {
  const { id, fileName, fileUrl, mime_type, size } = await uploadMedia(file);
  return { id, name: fileName, url: fileUrl, mime_type, size };
}
