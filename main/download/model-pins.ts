import { DEFAULT_DOWNLOAD } from '../../shared/model-download.ts';

export interface Pin {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Files whose content is known beforehand, by repository, commit and path. They win over whatever the hub says. The fp32
 * file of the model has no figure here: nobody who wrote this has seen it.
 */
const PINS: readonly {
  readonly repository: string;
  readonly revision: string;
  readonly files: { readonly [path: string]: Pin };
}[] = [
  {
    repository: DEFAULT_DOWNLOAD.model,
    revision: DEFAULT_DOWNLOAD.revision,
    files: {
      'onnx/model_q4.onnx': {
        bytes: 786_156_820,
        sha256: '09235a3b1c135cd04ef570e5053b5c079e028078a2cc5f76ba6a251e91bf3296',
      },
      'onnx/model_q4f16.onnx': {
        bytes: 483_003_582,
        sha256: 'b11c1dd99efd57e6c6e5bc4443a019931a5fbd5dd500d48644d8225f5ce0b2cb',
      },
      'onnx/model_quantized.onnx': {
        bytes: 512_096_557,
        sha256: '41834041ab1b29eff9fc592f1a29a1844133aea35832ea9fa91682be13016100',
      },
      'tokenizer.json': {
        bytes: 7_031_673,
        sha256: 'a8506e7111b80c6d8635951a02eab0f4e1a8e4e5772da83846579e97b16f61bf',
      },
      'tokenizer_config.json': {
        bytes: 7306,
        sha256: '7e88129d9769a0b14b1587a7d5e829fe93ac0e1511636471fdfc0811951418e6',
      },
      'config.json': { bytes: 678, sha256: '777e01f0fbb3346eb229cb6fb278ed6533c1e4dcb9ebf4bed0f6e94ef17fa1b5' },
      'generation_config.json': {
        bytes: 242,
        sha256: 'f7e7ce458658b2d40d9eb213b91b77a8bf698845ab89360976722d7ac46928a3',
      },
    },
  },
];

export type PinOf = (repository: string, revision: string, path: string) => Pin | undefined;

export const pinOf: PinOf = (repository, revision, path) => {
  const known = PINS.find((pins) => pins.repository === repository && pins.revision === revision)?.files;
  return known !== undefined && Object.hasOwn(known, path) ? known[path] : undefined;
};
