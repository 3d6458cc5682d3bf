import { useState } from 'react';
import type { AppState, DownloadState } from '../../shared/host.ts';
import { DEFAULT_DOWNLOAD } from '../../shared/model-download.ts';
import { bytes, counted, percent } from '../../shared/units.ts';
import { useController } from '../state/context.ts';
import { TextField } from './fields.tsx';

/** A model of the hub: which, at which commit, in which variant; and how far it has come. */
export function Download({ app, onMade }: { app: AppState; onMade: (id: string) => void }) {
  const controller = useController();
  const [model, setModel] = useState<string>(DEFAULT_DOWNLOAD.model);
  const [revision, setRevision] = useState<string>(DEFAULT_DOWNLOAD.revision);
  const [variant, setVariant] = useState<string>(DEFAULT_DOWNLOAD.variant);
  const start = async (): Promise<void> => {
    const id = await controller.download({ model: model.trim(), revision: revision.trim(), variant: variant.trim() });
    if (id !== null) onMade(id);
  };
  const complete = model.trim() !== '' && revision.trim() !== '' && variant.trim() !== '';
  return (
    <form
      className="download"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && app.download === null) void start();
      }}
    >
      <TextField label="Repository" help="As on the Hugging Face hub: owner/name." value={model} onChange={setModel} />
      <div className="field-row two">
        <TextField
          label="Revision"
          help="A full commit hash; a branch is resolved to one, which is recorded."
          value={revision}
          onChange={setRevision}
        />
        <TextField
          label="Variant"
          help="fp32, fp16, q4, q4f16, int8, quantized: the file in its onnx folder."
          value={variant}
          onChange={setVariant}
        />
      </div>
      {app.download === null ? (
        <button type="submit" className="second" disabled={!complete}>
          Download
        </button>
      ) : (
        <Progress download={app.download} />
      )}
    </form>
  );
}

function Progress({ download }: { download: DownloadState }) {
  const controller = useController();
  const { progress, resolved } = download;
  const share =
    progress === null || progress.total_bytes === 0 ? null : Math.min(1, progress.done_bytes / progress.total_bytes);
  return (
    <div className="download-progress">
      <progress {...(share === null ? {} : { value: share })} max={1} aria-label={`Downloading ${download.model}`} />
      <p className="hint" dir="auto">
        {resolved !== null &&
          `${resolved.model}, ${resolved.variant}, at ${resolved.revision.slice(0, 12)}: ${counted(resolved.files, 'file')}, ${bytes(resolved.bytes)}, licence ${resolved.license ?? 'not named'}. `}
        {progressWords(download)}
      </p>
      <button type="button" className="second" onClick={() => void controller.cancelDownload()}>
        Cancel the download
      </button>
    </div>
  );
}

export function progressWords({ progress }: Pick<DownloadState, 'progress'>): string {
  if (progress === null || progress.phase === 'resolving') return 'Asking the hub.';
  if (progress.waiting !== null) return `${progress.waiting}.`;
  const parts = [
    progress.phase === 'verifying' ? 'checking what is there' : undefined,
    progress.file?.path,
    `${percent(progress.done_bytes / Math.max(1, progress.total_bytes))} of ${bytes(progress.total_bytes)}`,
    progress.bytes_per_second === null ? undefined : `${bytes(progress.bytes_per_second)}/s`,
    progress.seconds_left === null ? undefined : `${timeLeft(progress.seconds_left)} left`,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return counted(Math.max(1, Math.round(seconds)), 'second');
  return counted(Math.round(seconds / 60), 'minute');
}
