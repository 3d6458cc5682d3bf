/**
 * The messages of onnx.proto (IR version 13) by field number: which fields hold messages, and which hold packed numbers.
 * These are the fields that decoding turns into more memory than they take in the file.
 */
export interface MessageShape {
  readonly messages: Readonly<Record<number, () => MessageShape>>;
  readonly packed: readonly number[];
}
const leaf: MessageShape = { messages: {}, packed: [] };
export const tensorShape: MessageShape = { messages: { 13: () => leaf, 16: () => leaf }, packed: [1, 4, 5, 7, 10, 11] };
const dimsShape: MessageShape = { messages: { 1: () => leaf }, packed: [] };
const tensorTypeShape: MessageShape = { messages: { 2: () => dimsShape }, packed: [] };
const typeShape: MessageShape = { messages: { 1: () => tensorTypeShape, 8: () => tensorTypeShape }, packed: [] };
const valueInfoShape: MessageShape = { messages: { 2: () => typeShape, 4: () => leaf }, packed: [] };
const sparseShape: MessageShape = { messages: { 1: () => tensorShape, 2: () => tensorShape }, packed: [3] };
const attributeShape: MessageShape = {
  messages: {
    5: () => tensorShape,
    6: () => graphShape,
    10: () => tensorShape,
    11: () => graphShape,
    14: () => typeShape,
    15: () => typeShape,
    22: () => sparseShape,
    23: () => sparseShape,
  },
  packed: [7, 8],
};
const nodeShape: MessageShape = { messages: { 5: () => attributeShape, 9: () => leaf, 10: () => leaf }, packed: [] };
export const graphShape: MessageShape = {
  messages: {
    1: () => nodeShape,
    5: () => tensorShape,
    11: () => valueInfoShape,
    12: () => valueInfoShape,
    13: () => valueInfoShape,
    14: () => leaf,
    15: () => sparseShape,
    16: () => leaf,
  },
  packed: [],
};
const functionShape: MessageShape = { messages: { 7: () => nodeShape, 11: () => attributeShape }, packed: [] };
const trainingShape: MessageShape = { messages: { 1: () => graphShape, 2: () => graphShape }, packed: [] };
export const modelShape: MessageShape = {
  messages: { 7: () => graphShape, 8: () => leaf, 14: () => leaf, 20: () => trainingShape, 25: () => functionShape },
  packed: [],
};
