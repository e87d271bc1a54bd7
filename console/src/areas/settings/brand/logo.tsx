import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { uploadMedia } from '../../../api/media';
import { Button } from '../../../ui/parts';

interface LogoProps {
  logo: string | undefined;
  mayWrite: boolean;
  /** Stores the address of another logo, or of none. */
  onChange: (logo: string | undefined) => Promise<void>;
}

/** The picture beside the name, which is uploaded at once. */
export const Logo = ({ logo, mayWrite, onChange }: LogoProps) => {
  const input = useRef<HTMLInputElement>(null);
  const change = useMutation({
    mutationFn: async (file: File | undefined) => {
      if (file === undefined) return onChange(undefined);
      return onChange((await uploadMedia(file)).fileUrl);
    },
  });
  return (
    <div className="space-y-3 p-4">
      {logo === undefined ? (
        <p className="text-quiet">No logo: pages show the name alone.</p>
      ) : (
        <img src={logo} alt="The logo" className="max-h-16 max-w-60 rounded bg-white p-1" />
      )}
      {mayWrite && (
        <div className="flex flex-wrap items-center gap-2">
          <input
            ref={input}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            aria-label="Picture of the logo"
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file !== undefined) change.mutate(file);
              target.value = '';
            }}
          />
          <Button disabled={change.isPending} onClick={() => input.current?.click()}>
            {logo === undefined ? 'Upload a logo' : 'Replace it'}
          </Button>
          {logo !== undefined && (
            <Button look="quiet" disabled={change.isPending} onClick={() => change.mutate(undefined)}>
              Remove it
            </Button>
          )}
          <span className="text-xs text-quiet">PNG, JPEG, GIF or WebP, at most 5 MB</span>
        </div>
      )}
      {change.error !== null && (
        <p role="alert" className="text-bad-text">
          {change.error.message}
        </p>
      )}
    </div>
  );
};
