// Runs a program of WebAssembly that only writes: node wasi.mjs PROGRAM.wasm [ARGUMENT]...
import fs from 'node:fs';
import {WASI} from 'node:wasi';

const wasi = new WASI({version: 'preview1', args: process.argv.slice(2)});
const module = await WebAssembly.compile(fs.readFileSync(process.argv[2]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
