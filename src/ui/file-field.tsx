import type { FC } from "hono/jsx";

interface FileFieldProps {
  label: string;
  name: string;
  hint: string;
  accept: string;
  error?: string | undefined;
  required?: boolean;
  /** Attributes for the browser's script. */
  data?: Record<`data-${string}`, string>;
}

/** A field for a file. The input itself is the drop zone, since browsers accept dropped files on any file input. */
export const FileField: FC<FileFieldProps> = ({ label, name, hint, error, data, ...input }) => (
  <div class="field">
    <label for={`f-${name}`}>{label}</label>
    <input
      type="file"
      class="drop"
      id={`f-${name}`}
      name={name}
      {...input}
      {...data}
      aria-describedby={error === undefined ? `f-${name}-hint` : `f-${name}-hint f-${name}-error`}
      {...(error !== undefined && { "aria-invalid": "true" })}
    />
    <p class="hint" id={`f-${name}-hint`}>
      {hint}
    </p>
    {error !== undefined && (
      <p class="fault" id={`f-${name}-error`}>
        {error}
      </p>
    )}
  </div>
);
