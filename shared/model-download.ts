/** What is downloaded when nothing is named: a small instruct model, at a commit whose files are known. */
export const DEFAULT_DOWNLOAD = {
  model: 'onnx-community/Qwen2.5-0.5B-Instruct',
  revision: 'cc5cc01a65cc3ff17bdb73a7de33d879f62599b0',
  variant: 'q4',
} as const;

export interface DownloadRequest {
  /** `owner/name` on the hub. */
  model: string;
  /** A full commit hash, or a branch or tag, which is resolved once. */
  revision: string;
  /** `fp32` for `onnx/model.onnx`, otherwise what follows in the file's name: `q4` for `onnx/model_q4.onnx`. */
  variant: string;
  /** The folder that becomes the model. */
  destination: string;
  /** Replaces what the folder holds. */
  force: boolean;
}

/** What the request came to mean, before a file is transferred. */
export interface ResolvedDownload {
  model: string;
  /** The full commit hash. */
  revision: string;
  variant: string;
  license: string | null;
  bytes: number;
  files: number;
}

export interface DownloadProgress {
  phase: 'resolving' | 'downloading' | 'verifying';
  /** The file at hand, inside the model's folder. */
  file: { path: string; done_bytes: number; total_bytes: number } | null;
  /** Over all files. What an earlier, interrupted download left is counted as done. */
  done_bytes: number;
  total_bytes: number;
  /** Smoothed over some seconds; null until something was transferred. */
  bytes_per_second: number | null;
  seconds_left: number | null;
  /** Why nothing moves at present, in words, or null. */
  waiting: string | null;
}

export interface DownloadedModel extends ResolvedDownload {
  /** Absolute path of the folder. */
  directory: string;
  /** True: it was there already and every file was found as it should be. */
  already: boolean;
}
