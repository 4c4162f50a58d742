// SPDX-License-Identifier: MIT
// Changes s3rver in two points in which it differs from S3. First, listings include folders that contain
// only folders, such as "c" in an array of Zarr v3; s3rver itself finds no objects deeper than one folder
// below the prefix. Second, deletions leave empty folders; s3rver itself removes them, and then answers
// 404 to one of two concurrent deletions in a folder.
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

Store.prototype.deleteObject = async function (bucket, key) {
  for (const resource of ['object', 'object.md5', 'metadata.json'])
    await fs.promises.rm(this.getResourcePath(bucket, key, resource), { force: true });
};
