/** transformers.js refuses to start without an image library, and calls it only for pictures. */
export default function sharp() {
  throw new Error('Tokenscope is packaged without an image library');
}
