import { browserHost } from './browser-host.ts';
import { electronHost } from './electron-host.ts';
import { mount } from './mount.tsx';

const root = document.getElementById('root');
if (root !== null) mount(electronHost() ?? browserHost(), root);
