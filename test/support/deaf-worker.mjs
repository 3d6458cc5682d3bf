// A worker that starts a request and hears nothing from then on, as one whose native call never returns.
const header = {
  environment: {},
  model: { id: 'deaf' },
  load: { model_ms: 1, tokenizer_ms: 1, reused: false },
  source_sha256: '',
};
const tell = (event) => process.send({ type: 'run_event', event });
process.on('message', (message) => {
  if (message.type === 'load') process.send({ type: 'loaded', header });
  if (message.type !== 'run') return;
  tell({ type: 'step', step: { kind: 'run', run: 0, name: 'short', sample: 0, of: 1 }, index: 0, count: 1 });
  tell({ type: 'prompt', prompt_tokens: 3, tokenization_ms: 1 });
  tell({ type: 'tokens', first: 0, ids: [7], at_ms: [2], texts: ['a'] });
});
process.on('SIGTERM', () => undefined);
process.send({ type: 'ready' });
