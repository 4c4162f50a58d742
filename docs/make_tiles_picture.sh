#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws docs/tiles.png: what a browser shows of the tiles that docs/tiles.md serves.
#
#   docs/make_tiles_picture.sh [PICTURE]
#
# Needs chromium, and the environment tiles that docs/tiles.md makes, with pillow.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
picture=${1:-docs/tiles.png}
port=8765
page="?url=data/pyramids/layout_arrays.zarr&rescale=0,412&colormap_name=viridis&zoom=15"

tiles/bin/uvicorn --app-dir docs/examples/tiles tiles:app --port $port --log-level error &
server=$!
trap 'kill $server' EXIT
for _ in {1..100}; do
    if curl --silent --fail --output /dev/null "http://127.0.0.1:$port/"; then break; fi
    sleep 0.2
done
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=480,320 --virtual-time-budget=60000 \
    --screenshot="$picture" "http://127.0.0.1:$port/$page"
# Few colours make the file small.
tiles/bin/python -c "
import sys
from PIL import Image
Image.open(sys.argv[1]).convert('RGB').quantize(128).save(sys.argv[1], optimize=True)" "$picture"
