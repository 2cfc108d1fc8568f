#ifndef CVSTREAM_FREETYPE_SYSTEM_H
#define CVSTREAM_FREETYPE_SYSTEM_H
#include <ft2build.h>
#include FT_FREETYPE_H
/* Macros that Swift does not import. */
enum { CVSTREAM_FT_RENDER = FT_LOAD_RENDER, CVSTREAM_FT_NO_HINTING = FT_LOAD_NO_HINTING };
#endif
