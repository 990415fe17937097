export { BYTES, FIXED64, ProtobufError, Reader, VARINT } from './reader.js'
export { Writer } from './writer.js'
