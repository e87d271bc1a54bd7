import { api, dataOf, type Schemas } from './client';

/** Uploads a file of the org. */
export function uploadMedia(file: File): Promise<Schemas['UploadedFile']> {
  const form = new FormData();
  form.append('file', file);
  return dataOf(api.POST('/media', { body: form as never, bodySerializer: () => form }));
}
