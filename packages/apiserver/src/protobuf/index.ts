export { decodeMessage } from './decode.js'
export { encodeMessage } from './encode.js'
export {
  decodeProtobuf,
  type Envelope,
  encodeProtobuf,
  encodeWatchFrame,
  isProtobuf,
  openEnvelope,
} from './envelope.js'
export { ProtobufList } from './list.js'
export { ProtobufError } from './reader.js'
