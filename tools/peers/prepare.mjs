// Prepares every real client that the peer tests run: `node tools/peers/prepare.mjs`.
await import('./kubectl.mjs')
await import('./clients.mjs')
