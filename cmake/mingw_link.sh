#!/bin/sh
# The compiler of cmake/mingw.cmake calls this script (-wrapper) to start its linker. Starts LLVM's linker in place of
# GNU's, which takes minutes for programs that are not optimized; LLVM's takes a second.
program=$1
shift
case $program in
    *collect2) exec ld.lld "$@" ;;
    *) exec "$program" "$@" ;;
esac
