// A button that takes a file of JSON from this machine.

import { useRef } from 'preact/hooks';

interface FilePickerProps {
  /** On the button. */
  label: string;
  /** The kind of file, for screen readers. */
  what: string;
  title?: string;
  onPick: (file: File) => Promise<void>;
}

export function FilePicker({ label, what, title, onPick }: FilePickerProps) {
  const field = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) await onPick(file);
    // The same file can be picked again once it was mended.
    if (field.current !== null) field.current.value = '';
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={what}
        accept=".json"
        onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
      />
      <button type="button" title={title} onClick={() => field.current?.click()}>
        {label}
      </button>
    </>
  );
}

/** The content of a file; `hint` says where its like comes from. */
export async function readJson(file: File, hint: string): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not JSON: choose a file that ${hint}`);
  }
}
