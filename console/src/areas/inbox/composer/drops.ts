import { type RefObject, useEffect, useRef } from 'react';

/**
 * Calls back with files that are dropped anywhere on the conversation of a form. Beside it they do nothing: the browser
 * would open them.
 */
export function useDrops(form: RefObject<HTMLElement | null>, onFiles: (files: FileList) => void): void {
  const current = useRef(onFiles);
  current.current = onFiles;
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      const { dataTransfer, target, type } = event;
      if (!dataTransfer?.types.includes('Files') || (target instanceof Element && target.closest('[type=file]')))
        return;
      event.preventDefault();
      const isHere = target instanceof Node && form.current?.parentElement?.contains(target) === true;
      if (type === 'dragover') dataTransfer.dropEffect = isHere ? 'copy' : 'none';
      else if (isHere) current.current(dataTransfer.files);
    };
    window.addEventListener('dragover', onDrag);
    window.addEventListener('drop', onDrag);
    return () => {
      window.removeEventListener('dragover', onDrag);
      window.removeEventListener('drop', onDrag);
    };
  }, [form]);
}
