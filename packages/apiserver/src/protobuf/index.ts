export {
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  isProtobuf,
} from './envelope.js'
export { ProtobufList } from './list.js'
