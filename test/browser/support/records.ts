import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordSchema, type TraceRecord } from '../../../shared/record.ts';

/** The record that ships with the app. */
export function shippedRecord(): TraceRecord {
  return recordSchema.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, '../../../records/live-run.json'), 'utf8')),
  );
}

/** Texts that want to be more than text: line breaks, emoji, Hebrew, markup. */
export const ODD_TOKENS = ['\n', ' 🙂', ' שלום', '<img src=x onerror=alert(1)>', '\u202Eevil', ' end'];

/** The same with everything that only we write: token texts, chunk times, files, loading times. */
export function richRecord(): TraceRecord {
  const record = shippedRecord();
  for (const run of record.runs) {
    for (const sample of run.samples) {
      const words = (sample.text ?? '').split(/(?=[ ,.])/);
      sample.token_texts = sample.generated_token_ids.map(
        (_, index) => words[index] ?? ODD_TOKENS[index % ODD_TOKENS.length]!,
      );
      const prefill = sample.ttft_ms - (sample.tokenization_ms ?? 0);
      const shares = run.name === 'long_chunked' ? [0.25, 0.25, 0.24, 0.24] : [0.98];
      sample.prefill_ms = shares.map((share) => share * prefill);
      sample.observer_ms = 0.8;
      sample.max_new_tokens = 24;
    }
  }
  record.load = { model_ms: 812, tokenizer_ms: 90, reused: false };
  record.model.files = [{ path: 'onnx/model.onnx', bytes: 1_976_131_072, sha256: 'a1'.repeat(32) }];
  return record;
}

/** A record with three faults. */
export function refusedRecord(): TraceRecord {
  const record = shippedRecord();
  record.runs[2]!.samples[0]!.itl_ms[3] = -5;
  record.runs[1]!.samples[1]!.e2e_ms += 40;
  record.runs[3]!.samples[0]!.itl_ms.pop();
  return record;
}
