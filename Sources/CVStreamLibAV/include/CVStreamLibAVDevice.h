/// libavdevice for Swift, opened with dlopen when first needed: few runs read a device.
#ifndef CVSTREAM_LIBAV_DEVICE_H
#define CVSTREAM_LIBAV_DEVICE_H

/// Makes libavdevice's formats known to libavformat. Returns 0, or −1 if the library is not there.
int CVStreamLibAV_loadDevices(void);

/// Major version of the libavdevice that is opened, which is in its file's and its package's name.
extern const int CVStreamLibAV_deviceMajor;

#endif
