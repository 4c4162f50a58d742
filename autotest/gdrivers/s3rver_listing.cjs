// SPDX-License-Identifier: MIT
// Has s3rver list a folder in which there are only folders, such as the "c" of an array of Zarr v3,
// as S3 does: by itself it looks for objects no deeper than one folder below what is listed.
'use strict';

const fs = require('fs');
const path = require('path');

const program = fs.realpathSync(process.argv[1]);
const Store = require(path.join(path.dirname(program), '..', 'lib', 'stores', 'filesystem.js'));
const plain = Store.prototype.listObjects;

Store.prototype.listObjects = async function (bucket, options) {
  const { delimiter, prefix = '', maxKeys = Infinity } = options;
  if (!delimiter) return plain.call(this, bucket, options);
  const all = { ...options, delimiter: undefined, maxKeys: undefined };
  const objects = [], folders = new Set();
  for (const object of (await plain.call(this, bucket, all)).objects) {
    const end = object.key.indexOf(delimiter, prefix.length);
    if (end < 0) objects.push(object);
    else folders.add(object.key.slice(0, end + delimiter.length));
  }
  return {
    objects: objects.slice(0, maxKeys),
    commonPrefixes: [...folders].sort(),
    isTruncated: objects.length > maxKeys,
  };
};
